import { describe, expect, it } from 'vitest';
import { RateBucket } from './rate-bucket.js';

function takenAt(bucket: RateBucket, ratePerMinute: number, now: number): number {
  let taken = 0;
  for (; bucket.wait(ratePerMinute, now) === 0; taken += 1) bucket.take();
  return taken;
}

describe('RateBucket', () => {
  it('allows a minute of calls at once, and then as many as are refilled', () => {
    const bucket = new RateBucket(60, 0);
    expect([0, 0, 500, 1_000, 11_000, 500_000].map((now) => takenAt(bucket, 60, now))).toEqual([60, 0, 0, 1, 10, 60]);
  });

  it('reports how long to wait for the next token', () => {
    const bucket = new RateBucket(60, 0);
    takenAt(bucket, 60, 0);
    expect([0, 250, 1_000].map((now) => bucket.wait(60, now))).toEqual([1_000, 750, 0]);
  });

  it('is full once all tokens were refilled', () => {
    const bucket = new RateBucket(2, 0);
    expect(bucket.isFull(2, 0)).toBe(true);
    bucket.take();
    expect([0, 29_000, 30_000].map((now) => bucket.isFull(2, now))).toEqual([false, false, true]);
  });

  it('refills nothing while the clock goes backwards', () => {
    const bucket = new RateBucket(60, 1_000_000);
    takenAt(bucket, 60, 1_000_000);
    expect(takenAt(bucket, 60, 0)).toBe(0);
  });

  it('applies a rate that was lowered', () => {
    const bucket = new RateBucket(600, 0);
    expect(takenAt(bucket, 5, 0)).toBe(5);
  });
});
