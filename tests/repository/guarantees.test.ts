import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Guarantees without a test yet, with the reason. Remove a line when its test is added. */
const OWED: Readonly<Record<string, string>> = {};

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const guarantees = resolve(root, 'docs/reference/guarantees.md');
const ID = /\b[RGS]\d{1,2}\b/g;

/** The first argument of `it`, `describe` and of what their `each` gives back, where it is written out. */
const TITLE = /(?:\b(?:it|test|describe)(?:\.\w+)*|[)\]])\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;

const titled = ['src', 'tests']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => name.endsWith('.test.ts'))
  .flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(TITLE)].map((match) => ({ file, title: match[2] ?? '' })),
  );
const titles = titled.map(({ title }) => title);
const cited = new Set(titles.flatMap((title) => title.match(ID) ?? []));

/** Where the tests are that say in their titles that they keep it. */
function filesThatKeep(id: string): string[] {
  return [...new Set(titled.filter(({ title }) => title.match(ID)?.includes(id)).map(({ file }) => file))].toSorted();
}

const range = (letter: string, last: number): string[] => Array.from({ length: last }, (_, n) => `${letter}${n + 1}`);

describe('the guarantees in docs/reference/guarantees.md', () => {
  const ids = [...new Set(readFileSync(guarantees, 'utf8').match(ID) ?? [])];

  it('are read from their file, so that the checks below cannot pass on nothing', () => {
    expect(new Set(ids)).toEqual(new Set([...range('R', 8), ...range('G', 16), ...range('S', 16)]));
    expect(titles.length).toBeGreaterThan(100);
  });

  it('are each named in the title of a test, or listed as owed', () => {
    expect(ids.filter((id) => !cited.has(id) && !Object.hasOwn(OWED, id))).toEqual([]);
  });

  it.each(ids.map((id) => ({ id, kept: filesThatKeep(id).join(' ') })))('$id: $kept', ({ id, kept }) => {
    expect(kept !== '' || Object.hasOwn(OWED, id)).toBe(true);
  });

  it('are not owed once they were taken off the list', () => {
    expect(Object.keys(OWED).filter((id) => !ids.includes(id))).toEqual([]);
  });
});
