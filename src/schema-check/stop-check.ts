/** Ends a check that cannot or must not go on; it never leaves this folder. */
export class Stop extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
}
