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
  it('replaces what is written by what the helper says, whatever the case of its name', async () => {
    const headers = await EntryHeaders.open({ Authorization: 'Bearer written', 'X-A': 'a' }, counting().ask);
    expect(headers.current).toEqual({ 'X-A': 'a', authorization: 'Bearer key-number-1' });
    expect(headers.bringsKey).toBe(true);
  });

  it('runs the helper once for all who were refused at once, and not again for who is refused right after', async () => {
    const helper = counting();
    const headers = await EntryHeaders.open({}, helper.ask);
    const refused = headers.current;
    expect(await Promise.all([1, 2, 3].map(() => headers.renew(refused)))).toEqual([true, true, true]);
    // One that was on its way with the old ones has only to be sent again.
    expect(await headers.renew(refused)).toBe(true);
    expect(await headers.renew(headers.current)).toBe(false);
    expect(helper.runs).toBe(2);
  });

  it('has no others without a helper', async () => {
    const headers = await EntryHeaders.open({ a: 'b' });
    expect(await headers.renew(headers.current)).toBe(false);
  });

  it('remembers every value that was sent, with and without the word before it', async () => {
    const headers = await EntryHeaders.open({ 'X-A': 'written' }, counting().ask);
    await headers.renew(headers.current);
    expect(new Set(headers.secrets)).toEqual(
      new Set(['written', 'Bearer', 'Bearer key-number-1', 'key-number-1', 'Bearer key-number-2', 'key-number-2']),
    );
  });
});
