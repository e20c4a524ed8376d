/** A monotonic clock in milliseconds. `performance` takes longer to load than most operations measured here. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
