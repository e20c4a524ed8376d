import { describe, expect, it } from 'vitest';
import { ErrorCode } from '../../base/index.js';
import { RunQueue, runQueue } from './run-queue.js';

const never = new AbortController().signal;
const soon = () => new Promise((resolve) => setTimeout(resolve, 5));
const WAIT_MS = 20_000;

const one = (waiting: number, waitMs = WAIT_MS) => new RunQueue({ perClient: 1, perResource: 1, waiting }, waitMs);

describe('RunQueue', () => {
  it('runs up to the limit at once and the rest in order', async () => {
    const turns = one(10);
    const order: number[] = [];
    const first = await turns.take('', never);
    const rest = [1, 2, 3].map(async (n) => {
      using turn = await turns.take('', never);
      if (turn) order.push(n);
    });
    expect(order).toEqual([]);
    first?.[Symbol.dispose]();
    await Promise.all(rest);
    expect({ order, idle: turns.idle }).toEqual({ order: [1, 2, 3], idle: true });
  });

  it('rejects callers when the queue is full', async () => {
    const turns = one(1);
    const first = await turns.take('', never);
    const second = turns.take('', never);
    await expect(turns.take('', never)).rejects.toMatchObject({ code: ErrorCode.LimitExceeded });
    first?.[Symbol.dispose]();
    (await second)?.[Symbol.dispose]();
    expect(turns.idle).toBe(true);
  });

  it('rejects callers that have waited too long', async () => {
    const turns = one(5, 10);
    await turns.take('', never);
    await expect(turns.take('', never)).rejects.toMatchObject({ code: ErrorCode.LimitExceeded });
  });

  it('drops callers that cancelled', async () => {
    const turns = one(5);
    const leaving = new AbortController();
    const first = await turns.take('', never);
    const second = turns.take('', leaving.signal);
    leaving.abort();
    expect(await second).toBeUndefined();
    first?.[Symbol.dispose]();
    expect({ idle: turns.idle, late: await turns.take('', leaving.signal) }).toEqual({ idle: true, late: undefined });
  });
});

describe('a RunQueue for several clients', () => {
  it('gives no client more than half of the slots, and the others to other clients', async () => {
    const turns = runQueue(4);
    const held = [await turns.take('greedy', never), await turns.take('greedy', never)];
    let hasThird = false;
    const third = turns.take('greedy', never).then((turn) => {
      hasThird = true;
      return turn;
    });
    const other = await turns.take('other', never);
    await soon();
    expect([other !== undefined, hasThird]).toEqual([true, false]);
    held[0]?.[Symbol.dispose]();
    expect(await third).toBeDefined();
  });

  it('releases all slots, also if a caller cancels while it waits', async () => {
    const turns = runQueue(2);
    const first = await turns.take('one', never);
    const leaving = new AbortController();
    const gone = turns.take('one', leaving.signal);
    leaving.abort();
    expect(await gone).toBeUndefined();
    first?.[Symbol.dispose]();
    const [again, beside] = [await turns.take('one', never), await turns.take('two', never)];
    expect([again, beside].every((turn) => turn !== undefined)).toBe(true);
  });

  it('lets a single client run if there is only one slot', async () => {
    expect(await runQueue(1).take('one', never)).toBeDefined();
  });
});
