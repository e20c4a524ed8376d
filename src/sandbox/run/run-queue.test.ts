import { describe, expect, it } from 'vitest';
import { ErrorCode } from '../../base/index.js';
import { RunQueue } from './run-queue.js';

const never = new AbortController().signal;
const WAIT_MS = 20_000;

describe('Turns', () => {
  it('runs up to the limit at once and the rest in order', async () => {
    const turns = new RunQueue(1, 10, WAIT_MS);
    const order: number[] = [];
    const first = await turns.take(never);
    const rest = [1, 2, 3].map(async (n) => {
      using turn = await turns.take(never);
      if (turn) order.push(n);
    });
    expect(order).toEqual([]);
    first?.[Symbol.dispose]();
    await Promise.all(rest);
    expect({ order, idle: turns.idle }).toEqual({ order: [1, 2, 3], idle: true });
  });

  it('rejects callers when the queue is full', async () => {
    const turns = new RunQueue(1, 1, WAIT_MS);
    const first = await turns.take(never);
    const second = turns.take(never);
    await expect(turns.take(never)).rejects.toMatchObject({ code: ErrorCode.LimitExceeded });
    first?.[Symbol.dispose]();
    (await second)?.[Symbol.dispose]();
    expect(turns.idle).toBe(true);
  });

  it('rejects callers that have waited too long', async () => {
    const turns = new RunQueue(1, 5, 10);
    await turns.take(never);
    await expect(turns.take(never)).rejects.toMatchObject({ code: ErrorCode.LimitExceeded });
  });

  it('drops callers that cancelled', async () => {
    const turns = new RunQueue(1, 5, WAIT_MS);
    const leaving = new AbortController();
    const first = await turns.take(never);
    const second = turns.take(leaving.signal);
    leaving.abort();
    expect(await second).toBeUndefined();
    first?.[Symbol.dispose]();
    expect({ idle: turns.idle, late: await turns.take(leaving.signal) }).toEqual({ idle: true, late: undefined });
  });
});
