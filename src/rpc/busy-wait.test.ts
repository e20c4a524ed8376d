import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { ALONE_IN_A_ROW, BusyWait } from './busy-wait.js';

const SOON_MS = 0.1;
const LATE_MS = 1;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A vigil, and a clock that goes on when it is told to. */
function vigil() {
  let now = 0;
  const watch = new BusyWait(() => now);
  const answered = (afterMs: number) => {
    watch.begin();
    now += afterMs;
    watch.end();
  };
  /** As many as it takes to stay awake for the next. */
  const inSequence = () => {
    for (let n = 1; n < ALONE_IN_A_ROW; n += 1) answered(SOON_MS);
  };
  return { watch, answered, inSequence, pass: (ms: number) => (now += ms) };
}

it('sleeps until somebody has answered soon', () => {
  const { watch, answered, inSequence } = vigil();
  watch.begin();
  expect(watch.isAwake).toBe(false);
  inSequence();
  answered(LATE_MS);
  watch.begin();
  expect(watch.isAwake).toBe(false);
});

it.skipIf(availableParallelism() === 1)('sleeps in a burst, though a message may be alone in it by chance', () => {
  const { watch, answered, inSequence } = vigil();
  inSequence();
  watch.interrupt();
  for (let n = 1; n < ALONE_IN_A_ROW; n += 1) {
    watch.begin();
    expect(watch.isAwake).toBe(false);
    answered(SOON_MS);
    watch.interrupt();
  }
  inSequence();
  watch.begin();
  expect(watch.isAwake).toBe(true);
  watch.end();
});

it.skipIf(availableParallelism() === 1)('stays awake for who answered soon, until the answer comes', async () => {
  const { watch, inSequence } = vigil();
  inSequence();
  watch.begin();
  for (let turns = 0; turns < 3; turns += 1) {
    await turn();
    expect(watch.isAwake).toBe(true);
  }
  watch.end();
  await turn();
  expect(watch.isAwake).toBe(false);
});

it.skipIf(availableParallelism() === 1)('falls asleep when it takes longer, and sleeps through the next', async () => {
  const { watch, inSequence, pass } = vigil();
  inSequence();
  watch.begin();
  pass(LATE_MS);
  await turn();
  expect(watch.isAwake).toBe(false);
  watch.end();
  watch.begin();
  expect(watch.isAwake).toBe(false);
});

it.skipIf(availableParallelism() === 1)(
  'is kept by one at a time, and by the next when that one has its answer',
  () => {
    const [first, second] = [vigil(), vigil()];
    for (const { inSequence } of [first, second]) inSequence();
    first.watch.begin();
    second.watch.begin();
    expect([first.watch.isAwake, second.watch.isAwake]).toEqual([true, false]);
    first.watch.end();
    second.answered(SOON_MS);
    second.watch.begin();
    expect([first.watch.isAwake, second.watch.isAwake]).toEqual([false, true]);
    second.watch.end();
  },
);
