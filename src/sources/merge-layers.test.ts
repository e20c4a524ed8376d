import { describe, expect, it } from 'vitest';
import type { Place } from './client.js';
import { opencodePlace } from './clients/opencode-family.js';
import { rooDialect } from './dialects/editor-dialects.js';
import { mergeLayers } from './merge-layers.js';
import type { LocatedEntry } from './to-definition.js';

const place: Place = { ...opencodePlace, scope: 'user', path: '~/x.json', precedence: 1 };

function locatedEntry(
  precedence: number,
  source: string,
  value: unknown,
  more: Partial<LocatedEntry> = {},
): LocatedEntry {
  return { client: 'c', place, source, line: 1, precedence, written: { name: 's', value, path: ['s'] }, ...more };
}

const valuesOf = (locatedEntries: readonly LocatedEntry[]) =>
  locatedEntries.map((one) => mergeLayers(locatedEntries).get(one)?.written.value);

function nested(levels: number): unknown {
  let value: unknown = { end: true };
  for (let n = 0; n < levels; n += 1) value = { deeper: value };
  return value;
}

describe('mergeLayers', () => {
  it('merges the lower layer under the higher one, in either order', () => {
    const high = locatedEntry(2, '/a/high.json', { enabled: false, environment: { B: '2' } });
    const low = locatedEntry(1, '/a/low.json', { type: 'local', command: ['x', 'y'], environment: { A: '1', B: '1' } });
    expect(valuesOf([high, low])).toEqual([
      { type: 'local', command: ['x', 'y'], enabled: false, environment: { A: '1', B: '2' } },
      low.written.value,
    ]);
  });

  it('replaces lists, and maps by values that are not maps', () => {
    const low = locatedEntry(1, '/a/low.json', { command: ['x', 'y'], oauth: { clientId: 'me' } });
    const high = locatedEntry(2, '/a/high.json', { command: ['z'], oauth: false });
    expect(valuesOf([low, high])[1]).toEqual({ command: ['z'], oauth: false });
  });

  it('resolves a reference to a file from the file that contains it', () => {
    const low = locatedEntry(1, '/a/low.json', { command: ['x', '{file: one}{file:/two}{file:~/three}'] });
    const high = locatedEntry(2, '/b/high.json', { enabled: true, environment: { A: '{file:four}' } });
    const highest = locatedEntry(3, '/c/highest.json', {});
    expect(valuesOf([low, high, highest])).toEqual([
      low.written.value,
      { command: ['x', '{file:/a/one}{file:/two}{file:~/three}'], enabled: true, environment: { A: '{file:four}' } },
      { command: ['x', '{file:/a/one}{file:/two}{file:~/three}'], enabled: true, environment: { A: '{file:/b/four}' } },
    ]);
  });

  it('does not merge different names, different dialects or values that are not maps', () => {
    const low = locatedEntry(1, '/a/low.json', { a: 1 });
    const named = locatedEntry(2, '/a/b.json', { b: 2 }, { written: { name: 'other', value: { b: 2 }, path: [] } });
    const spelled = locatedEntry(3, '/a/c.json', { c: 3 }, { place: { ...place, dialect: rooDialect } });
    const wrong = locatedEntry(4, '/a/d.json', 'text');
    expect(valuesOf([low, named, spelled, wrong])).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }, undefined]);
  });

  it('handles deep nesting and keys such as __proto__', () => {
    const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const layers = [locatedEntry(1, '/a/low.json', nested(50_000)), locatedEntry(2, '/b/high.json', nested(50_000))];
    expect(mergeLayers(layers).size).toBe(2);
    expect(mergeLayers([locatedEntry(1, '/a', JSON.parse(text)), locatedEntry(2, '/b', JSON.parse(text))]).size).toBe(
      2,
    );
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
