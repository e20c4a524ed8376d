import { describe, expect, it } from 'vitest';
import { nearest } from './nearest-names.js';

const NAMES = [
  'create_issue',
  'read_file',
  'readMediaFile',
  'write_file',
  'list_repos',
  'search',
  'slack_post_message',
  'HTTPGet',
  'constructor',
] as const;

describe('nearest', () => {
  it.each([
    { wanted: 'read_file', expected: ['read_file', 'readMediaFile', 'write_file'] },
    { wanted: 'READ_FILE', expected: ['read_file', 'readMediaFile', 'write_file'] },
    { wanted: 'file read', expected: ['read_file', 'readMediaFile', 'write_file'] },
    { wanted: 'readFile', expected: ['read_file', 'readMediaFile', 'write_file'] },
    { wanted: 'raed_file', expected: ['read_file', 'readMediaFile', 'write_file'] },
    { wanted: 'creat_isue', expected: ['create_issue'] },
    { wanted: 'issues', expected: ['create_issue'] },
    { wanted: 'searhc', expected: ['search'] },
    { wanted: 'http_get', expected: ['HTTPGet'] },
    { wanted: 'post message', expected: ['slack_post_message'] },
    { wanted: 'constrcutor', expected: ['constructor'] },
    { wanted: 'xyzzy', expected: [] },
    { wanted: '', expected: [] },
    { wanted: '___', expected: [] },
  ])('finds $expected for $wanted', ({ wanted, expected }) => {
    expect(nearest(wanted, NAMES)).toEqual(expected);
  });

  it('counts two swapped letters as one mistake', () => {
    expect(nearest('raed', ['ride', 'read', 'roed'])).toEqual(['read', 'roed']);
  });

  it.each([
    { count: 0, expected: [] },
    { count: 1, expected: ['aab'] },
    { count: 2, expected: ['aab', 'baa'] },
  ])('returns at most $count, the first of equals, each once', ({ count, expected }) => {
    expect(nearest('aaa', ['abb', 'aab', 'aab', 'baa', 'bba'], count)).toEqual(expected);
  });

  it.each([
    { title: 'short names', wanted: 'raed_file_42', name: (n: number) => `read_file_${n}` },
    {
      title: 'names of excessive length',
      wanted: 'ba'.repeat(5_000),
      name: (n: number) => `${'ab'.repeat(5_000)}${n}`,
    },
    { title: 'nothing but words', wanted: 'a b '.repeat(1_000), name: (n: number) => `${'b_a_'.repeat(1_000)}${n}` },
  ])('searches ten thousand $title quickly', ({ wanted, name }) => {
    const names = Array.from({ length: 10_000 }, (_, n) => name(n));
    const start = performance.now();
    nearest(wanted, names);
    expect(performance.now() - start).toBeLessThan(3_000);
  });

  it('stops reading an infinite list of names', () => {
    let given = 0;
    const endless = function* (): Generator<string> {
      for (; ; given += 1) yield `read_file_${given}`;
    };
    expect(nearest('read_file_7', endless(), 1)).toEqual(['read_file_7']);
    expect(given).toBeLessThan(100_000);
  });
});
