import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../../tests/fixtures/run-program.js';
import { AnswerDeadlines, type PendingAnswer } from './answer-deadlines.js';

const HOUR_MS = 3_600_000;

/** Records the timed-out requests in order. */
function waiting(): {
  clock: AnswerDeadlines;
  given: string[];
  wait: (name: string, ms: number, totalMs?: number, onTimeout?: () => void) => PendingAnswer;
} {
  const clock = new AnswerDeadlines(false);
  const given: string[] = [];
  let id = 0;
  const wait = (name: string, timeoutMs: number, totalMs = HOUR_MS, onTimeout?: () => void) => {
    id += 1;
    const one: PendingAnswer = {
      id,
      timeouts: { timeoutMs, totalMs },
      ends: 0,
      due: 0,
      onTimeout: onTimeout ?? (() => void given.push(name)),
    };
    clock.start(one);
    return one;
  };
  return { clock, given, wait };
}

describe('AnswerDeadlines', () => {
  it('times out each request at its own time, also a later one with a shorter timeout', async () => {
    const { given, wait } = waiting();
    wait('hour', HOUR_MS);
    wait('second', 60);
    wait('first', 20);
    await expect.poll(() => given).toEqual(['first', 'second']);
  });

  it('does not time out answered requests', async () => {
    const { clock, given, wait } = waiting();
    const answered = wait('answered', 20);
    wait('silent', 40);
    clock.stop(answered);
    await expect.poll(() => given).toEqual(['silent']);
  });

  it('extends the deadline with progress, up to the total limit', async () => {
    const { clock, given, wait } = waiting();
    const alive = wait('alive', 150, 600);
    const began = performance.now();
    const signs = setInterval(() => clock.again(alive), 30);
    await expect.poll(() => given, { timeout: 10_000 }).toEqual(['alive']);
    clearInterval(signs);
    expect(performance.now() - began).toBeGreaterThanOrEqual(590);
  });

  it('times out a request that was started in the timeout callback of another', async () => {
    const { given, wait } = waiting();
    wait('first', 10, HOUR_MS, () => void wait('again', 10));
    await expect.poll(() => given).toEqual(['again']);
  });

  it('stops after the last pending request', async () => {
    const { clock, given, wait } = waiting();
    for (let n = 0; n < 3; n += 1) clock.stop(wait('answered', 5));
    await pause(30);
    wait('later', 5);
    await expect.poll(() => given).toEqual(['later']);
    wait('never', 5);
    clock.end();
    await pause(30);
    expect(given).toEqual(['later']);
  });

  it('supports timeouts over the maximum of setTimeout', async () => {
    const warnings: string[] = [];
    const hear = (warning: Error) => void warnings.push(warning.name);
    process.on('warning', hear);
    const { clock, given, wait } = waiting();
    for (let n = 0; n < 20; n += 1) wait('in months', 2 ** 33, 2 ** 33);
    await pause(50);
    process.off('warning', hear);
    clock.end();
    expect([given, warnings]).toEqual([[], []]);
  });

  it.each([
    { title: 'keeps the process alive while a request is pending', stop: false, expected: 'given up\n' },
    { title: 'does not keep the process alive after the answer', stop: true, expected: '' },
  ])('$title', ({ stop, expected }) => {
    const { out } = runProgram(`
      import { AnswerDeadlines } from './src/upstream/connection/answer-deadlines.ts';
      const clock = new AnswerDeadlines(true);
      const timeouts = { timeoutMs: 1_500, totalMs: 1_500 };
      const waits = [1, 2].map((id) => ({ id, timeouts, ends: 0, due: 0, onTimeout: () => console.log('given up') }));
      // An earlier request, so that the timer exists.
      clock.start(waits[0]);
      clock.stop(waits[0]);
      clock.start(waits[1]);
      if (${stop}) clock.stop(waits[1]);
    `);
    expect(out).toBe(expected);
  });
});
