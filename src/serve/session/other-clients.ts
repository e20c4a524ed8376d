/** Other clients of this user, as far as they may be asked in this one's place. */
export interface OtherClients {
  /** What they would do, in the words of the protocol; undefined where that is nothing. */
  abilities(): Readonly<Record<string, unknown>> | undefined;
  /** Rejects where none of them can do it. */
  ask(
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
}
