import { describe, expect, it } from 'vitest';
import { FairRunQueue } from './fair-run-queue.js';

const never = new AbortController().signal;
const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('FairRunQueue', () => {
  it('gives no client more than half of the slots, and the others to other clients', async () => {
    const turns = new FairRunQueue(4);
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
    const turns = new FairRunQueue(2);
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
    expect(await new FairRunQueue(1).take('one', never)).toBeDefined();
  });
});
