/** Milliseconds of a clock that is never set back. Not `performance`: loading it takes longer than most of what is timed here. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
