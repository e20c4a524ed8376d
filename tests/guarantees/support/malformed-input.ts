/** A machine that tests other things meanwhile is slower than the one that the promise speaks of. */
const SLACK = 10;
const STALL_MS = 200;
/** As long as an event loop may stand still. */
export const MAX_STALL_MS = STALL_MS * SLACK;
/** What is measured in time of the processor needs less slack. */
export const MAX_BUSY_MS = STALL_MS * 3;
export const TIMES = process.env.PORTOLAN_SOAK === '1' ? 10 : 1;
/** Nobody who has hung up, or was told all, keeps a connection for as long. */
export const HANGS_MS = 20_000;
const AT_ONCE = 16;

export const say = (figures: string) =>
  // biome-ignore lint/suspicious/noConsole: the figures are what a reader of the log looks for.
  console.log(`G9: ${figures}`);

/** Does something so many times, a few at once. */
export async function times(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
