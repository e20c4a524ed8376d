import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { lastingController } from './abort-watchers.js';
import { deadline } from './deadline.js';

setFlagsFromString('--expose-gc');
const sweep: () => void = runInNewContext('gc');
const aborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve));

describe('a deadline', () => {
  it('aborts in time although garbage collection runs', async () => {
    const { signal } = deadline(50, new AbortController().signal);
    const came = aborted(signal);
    // Weak references are cleared only after one turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    sweep();
    await came;
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it.each([
    { kind: 'plain', controller: () => new AbortController() },
    { kind: 'lasting', controller: lastingController },
  ])('aborts with a $kind signal and its reason', ({ controller }) => {
    const [first, second] = [controller(), controller()];
    using limit = deadline(60_000, undefined, first.signal, second.signal);
    expect(limit.signal.aborted).toBe(false);
    second.abort('enough');
    expect([limit.signal.aborted, limit.signal.reason]).toEqual([true, 'enough']);
  });

  it('is aborted from the start if one of its signals is', () => {
    using limit = deadline(60_000, AbortSignal.abort('before'));
    expect(limit.signal.reason).toBe('before');
  });

  it('never aborts after it was disposed of', async () => {
    const controller = new AbortController();
    const limit = deadline(1, controller.signal);
    limit[Symbol.dispose]();
    controller.abort();
    await new Promise((resolve) => setTimeout(resolve, 20)); // it does not abort later either
    expect(limit.signal.aborted).toBe(false);
  });

  it('accepts a limit that is longer than any timer', async () => {
    using limit = deadline(2 ** 40);
    await new Promise((resolve) => setTimeout(resolve, 20)); // it does not abort later either
    expect(limit.signal.aborted).toBe(false);
  });
});
