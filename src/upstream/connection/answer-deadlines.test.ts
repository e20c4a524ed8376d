import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../../tests/fixtures/run-program.js';
import { AnswerDeadlines, type PendingAnswer } from './answer-deadlines.js';

const HOUR_MS = 3_600_000;

/** Who was given up, in the order in which that happened. */
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
  it('gives up each in its time, also one that comes later and has less', async () => {
    const { given, wait } = waiting();
    wait('hour', HOUR_MS);
    wait('second', 60);
    wait('first', 20);
    await expect.poll(() => given).toEqual(['first', 'second']);
  });

  it('gives up nobody who was answered', async () => {
    const { clock, given, wait } = waiting();
    const answered = wait('answered', 20);
    wait('silent', 40);
    clock.stop(answered);
    await expect.poll(() => given).toEqual(['silent']);
  });

  it('waits anew after each sign of life, up to the bound', async () => {
    const { clock, given, wait } = waiting();
    const alive = wait('alive', 150, 600);
    const began = performance.now();
    const signs = setInterval(() => clock.again(alive), 30);
    await expect.poll(() => given, { timeout: 10_000 }).toEqual(['alive']);
    clearInterval(signs);
    expect(performance.now() - began).toBeGreaterThanOrEqual(590);
  });

  it('gives up whoever was started by the end of another', async () => {
    const { given, wait } = waiting();
    wait('first', 10, HOUR_MS, () => void wait('again', 10));
    await expect.poll(() => given).toEqual(['again']);
  });

  it('is quiet where nobody waits any more', async () => {
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

  it('waits for longer than timers can count', async () => {
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
    { title: 'keeps a program alive that waits', stop: false, expected: 'given up\n' },
    { title: 'keeps no program alive that has its answer', stop: true, expected: '' },
  ])('$title', ({ stop, expected }) => {
    const { out } = runProgram(`
      import { AnswerDeadlines } from './src/upstream/connection/answer-deadlines.ts';
      const clock = new AnswerDeadlines(true);
      const timeouts = { timeoutMs: 1_500, totalMs: 1_500 };
      const waits = [1, 2].map((id) => ({ id, timeouts, ends: 0, due: 0, onTimeout: () => console.log('given up') }));
      // One that came before, so that the timer is there already.
      clock.start(waits[0]);
      clock.stop(waits[0]);
      clock.start(waits[1]);
      if (${stop}) clock.stop(waits[1]);
    `);
    expect(out).toBe(expected);
  });
});
