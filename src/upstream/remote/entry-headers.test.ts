import { describe, expect, it } from 'vitest';
import { EntryHeaders } from './entry-headers.js';

/** A helper that counts how often it is run. */
function counting() {
  const helper = {
    runs: 0,
    ask: async () => {
      helper.runs += 1;
      return { authorization: `Bearer key-number-${helper.runs}` };
    },
  };
  return helper;
}

describe('EntryHeaders', () => {
  it('overrides headers of the entry with those of the helper, ignoring case', async () => {
    const headers = await EntryHeaders.open({ Authorization: 'Bearer written', 'X-A': 'a' }, counting().ask);
    expect(headers.current).toEqual({ 'X-A': 'a', authorization: 'Bearer key-number-1' });
    expect(headers.bringsKey).toBe(true);
  });

  it('runs the helper once for concurrent refusals, and not again shortly after', async () => {
    const helper = counting();
    const headers = await EntryHeaders.open({}, helper.ask);
    const refused = headers.current;
    expect(await Promise.all([1, 2, 3].map(() => headers.renew(refused)))).toEqual([true, true, true]);
    // A request that was sent with the old headers only has to be repeated.
    expect(await headers.renew(refused)).toBe(true);
    expect(await headers.renew(headers.current)).toBe(false);
    expect(helper.runs).toBe(2);
  });

  it('cannot renew headers without a helper', async () => {
    const headers = await EntryHeaders.open({ a: 'b' });
    expect(await headers.renew(headers.current)).toBe(false);
  });

  it('remembers every sent value, with and without its prefix', async () => {
    const headers = await EntryHeaders.open({ 'X-A': 'written' }, counting().ask);
    await headers.renew(headers.current);
    expect(new Set(headers.secrets)).toEqual(
      new Set(['written', 'Bearer', 'Bearer key-number-1', 'key-number-1', 'Bearer key-number-2', 'key-number-2']),
    );
  });
});
