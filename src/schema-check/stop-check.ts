/** Aborts a check. Caught inside this module. */
export class Stop extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
}
