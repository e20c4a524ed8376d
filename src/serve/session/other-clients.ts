/** The user's other clients, which may answer questions on behalf of this one. */
export interface OtherClients {
  /** The capabilities they offer, as in the protocol; undefined if there are none. */
  capabilities(): Readonly<Record<string, unknown>> | undefined;
  /** Rejects if none of them supports the method. */
  ask(
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
}
