import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { spin } from './with-gateway.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const silent = { out: () => undefined, colour: false, home: '/' };

it('prints a line about a slow start every few seconds without a terminal, and nothing else', () => {
  const lines: string[] = [];
  let said = 'calling slow read';
  const stop = spin(() => said, { ...silent, err: (line) => void lines.push(line) });
  vi.advanceTimersByTime(20_000);
  expect(lines).toEqual([]);
  for (const seconds of [20, 25]) {
    said = `slow read: installing slow, ${seconds} s`;
    vi.advanceTimersByTime(5_000);
  }
  said = 'slow read: 3/7';
  vi.advanceTimersByTime(20_000);
  stop();
  expect(lines).toEqual(['slow read: installing slow, 20 s', 'slow read: installing slow, 25 s']);
  said = 'slow read: installing slow, 40 s';
  vi.advanceTimersByTime(20_000);
  expect(lines).toHaveLength(2);
});

it('shows the duration once on a terminal', () => {
  const shown: (string | undefined)[] = [];
  let said = 'calling slow read';
  const stop = spin(() => said, { ...silent, err: () => undefined, status: (text) => void shown.push(text) });
  vi.advanceTimersByTime(100);
  expect(shown.at(-1)).toMatch(/^\S calling slow read \d+\.\d s$/);
  said = 'slow read: installing slow, 40 s';
  vi.advanceTimersByTime(100);
  expect(shown.at(-1)).toMatch(/^\S slow read: installing slow, 40 s$/);
  stop();
  expect(shown.at(-1)).toBeUndefined();
});
