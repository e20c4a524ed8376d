import { afterAll, describe, expect, it } from 'vitest';
import { codeOf, odd, textOf, type WatchedGateway, watchedGateway } from '../support/gateway-harness.js';

const MB = 1024 * 1024;
const ANSWER_BYTES = 100 * MB;
const DEFAULT_LIMIT_BYTES = 16 * MB;
/** The guarantee is for an idle machine; other tests may run at the same time. */
const SLACK = 10;
/** CPU time varies less than elapsed time. */
const SLOWER = 3;
const REFUSAL_MS = 1_000;
const LEAST_MB_PER_SECOND = 50;
const STALL_MS = 100;

const LARGER = 10;
/** The size of the list of numbers that the server sends. */
const ROW_BYTES = 8;

const figures: string[] = [];
afterAll(() => {
  // biome-ignore lint/suspicious/noConsole: the log shows the measured figures.
  console.log(`G6: ${figures.join('; ')}`);
});

interface Measured {
  readonly result: Record<string, unknown>;
  readonly ms: number;
  readonly stallMs: number;
  readonly busyMs: number;
  readonly grownBytes: number;
}

async function measured(gateway: WatchedGateway, tool: string, bytes: number): Promise<Measured> {
  const before = await gateway.figures('reset');
  const start = performance.now();
  const result = await gateway.client.execute('odd', tool, { bytes });
  const ms = performance.now() - start;
  const { stallMs, busyMs, maxRssBytes } = await gateway.figures('read');
  const one = { result, ms, stallMs, busyMs, grownBytes: maxRssBytes - before.maxRssBytes };
  figures.push(
    `${tool} ${bytes / MB} MB in ${ms.toFixed(0)} ms, stall ${stallMs.toFixed(0)} ms, busy ${busyMs.toFixed(0)} ms, +${(one.grownBytes / MB).toFixed(0)} MB`,
  );
  return one;
}

async function warmed(settings: Record<string, unknown> = {}): Promise<WatchedGateway> {
  const gateway = watchedGateway({ odd: odd() }, settings);
  await gateway.client.initialize();
  // Memory that the gateway needs anyway is not a cost of the large response.
  for (let n = 0; n < 64; n += 1) await gateway.client.execute('odd', 'big', { bytes: MB });
  return gateway;
}

describe('a response of 100 MB', { tags: 'G6' }, () => {
  it.each(['big', 'numbers'])('(%s) is refused with a typed error at the default limit', async (tool) => {
    await using gateway = await warmed();
    const { result, ms, grownBytes, stallMs, busyMs } = await measured(gateway, tool, ANSWER_BYTES);
    expect(codeOf(result)).toBe('RESULT_TOO_LARGE');
    expect(ms).toBeLessThan(REFUSAL_MS * SLACK);
    expect(busyMs).toBeLessThan(STALL_MS * SLOWER);
    expect(stallMs).toBeLessThan(STALL_MS * SLACK);
    expect(grownBytes).toBeLessThan(2 * DEFAULT_LIMIT_BYTES);
    // The server still runs.
    expect(textOf(await gateway.client.execute('odd', 'echo', { a: 1 }))).toBe('{"a":1}');
  });

  it('arrives complete if it is allowed, in linear time, while other calls are answered', async () => {
    await using gateway = await warmed({ limits: { maxResultBytes: 128 * MB } });
    const small = await measured(gateway, 'big', ANSWER_BYTES / LARGER);
    const large = await measured(gateway, 'big', ANSWER_BYTES);
    expect([textOf(small.result).length, textOf(large.result).length]).toEqual([ANSWER_BYTES / LARGER, ANSWER_BYTES]);
    expect(large.ms / Math.max(small.ms, 50)).toBeLessThan(LARGER * SLOWER);
    const numbers = await measured(gateway, 'numbers', ANSWER_BYTES);
    const { rows } = numbers.result.structuredContent as { rows: readonly number[] };
    expect([rows.length, rows[0], rows.at(-1)]).toEqual([ANSWER_BYTES / ROW_BYTES + 1, 1_234_567, 0]);
    for (const { ms, busyMs, stallMs } of [large, numbers]) {
      expect(ANSWER_BYTES / MB / (ms / 1_000)).toBeGreaterThan(LEAST_MB_PER_SECOND / SLACK);
      expect(busyMs).toBeLessThan(STALL_MS * SLOWER);
      expect(stallMs).toBeLessThan(STALL_MS * SLACK);
    }
  });
});
