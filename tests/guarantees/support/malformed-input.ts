/** The guarantee is for an idle machine; other tests may run at the same time. */
const SLACK = 10;
const STALL_MS = 200;
/** The longest allowed stall of the event loop. */
export const MAX_STALL_MS = STALL_MS * SLACK;
/** CPU time varies less than elapsed time. */
export const MAX_BUSY_MS = STALL_MS * 3;
export const TIMES = process.env.PORTOLAN_SOAK === '1' ? 10 : 1;
/** A connection must close within this time after the client ended its side. */
export const MAX_OPEN_MS = 20_000;
const AT_ONCE = 16;

export const printFigures = (figures: string) =>
  // biome-ignore lint/suspicious/noConsole: the log shows the measured figures.
  console.log(`G9: ${figures}`);

/** Runs `work` `count` times, a few at the same time. */
export async function times(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
