import { describe, expect, it } from 'vitest';
import { Backoff, BUDGET_WINDOW_MS, START_BUDGET } from './backoff.js';

/** The wait after this many failures in a row. */
function waitAfter(failures: number, random = 1): number {
  const backoff = new Backoff(() => random);
  for (let n = 0; n < failures; n += 1) backoff.failed(1_000);
  const verdict = backoff.ask(1_000);
  return verdict.kind === 'start' ? 0 : verdict.ms;
}

describe('Backoff', () => {
  it('starts a server at once that has never failed', () => {
    expect(new Backoff().ask(0)).toEqual({ kind: 'start' });
  });

  it('doubles the maximum wait after each failure, up to one minute', { tags: 'G11' }, () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9, 50, 2_000].map((failures) => waitAfter(failures));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000]);
  });

  it('has full jitter: all waits up to the maximum are equally likely', { tags: 'G11' }, () => {
    const longest = 4_000;
    const counts = new Array<number>(10).fill(0);
    let seed = 7;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed / 2 ** 31;
    };
    for (let n = 0; n < 10_000; n += 1) {
      const part = Math.floor((waitAfter(4, random()) / longest) * counts.length);
      counts[part] = (counts[part] ?? 0) + 1;
    }
    expect(counts.filter((count) => count < 800 || count > 1_200)).toEqual([]);
    expect(waitAfter(4, 0)).toBe(0);
  });

  it('waits after two failures and refuses from the third on', () => {
    const backoff = new Backoff(() => 1);
    const verdicts = [1, 2, 3].map(() => {
      backoff.failed(0);
      return backoff.ask(0);
    });
    expect(verdicts).toEqual([
      { kind: 'wait', ms: 500 },
      { kind: 'wait', ms: 1_000 },
      { kind: 'refuse', ms: 2_000, because: 'failing' },
    ]);
    expect(backoff.ask(2_000)).toEqual({ kind: 'start' });
    backoff.succeeded();
    expect({ failures: backoff.failures, verdict: backoff.ask(0) }).toEqual({
      failures: 0,
      verdict: { kind: 'start' },
    });
  });

  it('never exceeds the start budget in any window, whatever the outcome of the starts', { tags: 'G11' }, () => {
    const backoff = new Backoff(() => 0);
    const starts: number[] = [];
    for (let now = 0; now < 4 * BUDGET_WINDOW_MS; now += 500) {
      const verdict = backoff.ask(now);
      if (verdict.kind !== 'start') {
        expect(verdict).toMatchObject({ kind: 'refuse', because: 'budget' });
        continue;
      }
      starts.push(now);
      backoff.started(now);
      if (now % 1_000 === 0) backoff.failed(now);
      else backoff.succeeded();
    }
    const most = Math.max(
      ...starts.map((from) => starts.filter((at) => at >= from && at < from + BUDGET_WINDOW_MS).length),
    );
    expect({ most, all: starts.length }).toEqual({ most: START_BUDGET, all: 4 * START_BUDGET });
  });

  it('reports how long the budget is exhausted', () => {
    const backoff = new Backoff();
    for (let n = 0; n < START_BUDGET; n += 1) backoff.started(n * 1_000);
    expect(backoff.ask(20_000)).toEqual({ kind: 'refuse', ms: BUDGET_WINDOW_MS - 20_000, because: 'budget' });
    expect(backoff.ask(BUDGET_WINDOW_MS)).toEqual({ kind: 'start' });
  });
});
