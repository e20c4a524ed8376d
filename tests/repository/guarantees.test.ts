import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createVitest } from 'vitest/node';
import { readGuarantees } from '../support/guarantees.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const ids = readGuarantees().map(({ id }) => id);
/** Guarantees are added and never removed, so fewer than these means that the document was not read completely. */
const FIRST_COUNTS: Readonly<Record<string, number>> = { R: 8, G: 16, S: 16 };

interface Collected {
  /** The files with a test of each guarantee. */
  readonly files: ReadonlyMap<string, ReadonlySet<string>>;
  readonly errors: readonly string[];
}

/** Vitest parses the test files and does not run them. */
async function collect(): Promise<Collected> {
  const vitest = await createVitest('test', { root, watch: false });
  try {
    const files = new Map<string, Set<string>>();
    const modules = await vitest.experimental_parseSpecifications(await vitest.globTestSpecifications());
    for (const module of modules)
      for (const { tags } of module.children.allTests())
        for (const tag of tags) files.set(tag, (files.get(tag) ?? new Set()).add(relative(root, module.moduleId)));
    return { files, errors: modules.flatMap((module) => module.errors().map(({ message }) => message)) };
  } finally {
    await vitest.close();
  }
}

const { files, errors } = await collect();

describe('the guarantees in docs/reference/guarantees.md', () => {
  it('are all read: numbers without a gap, none of the first ones missing', () => {
    const letters = [...new Set([...ids.map(([letter = '']) => letter), ...Object.keys(FIRST_COUNTS)])];
    for (const letter of letters) {
      const numbered = ids.filter((id) => id.startsWith(letter));
      expect(numbered).toEqual(numbered.map((_, n) => `${letter}${n + 1}`));
      expect(numbered.length).toBeGreaterThanOrEqual(FIRST_COUNTS[letter] ?? 1);
    }
  });

  it('have every id that is the tag of a test', () => {
    // The parser finds no tests in a file that creates them with a helper.
    expect(errors.filter((message) => !message.startsWith('No test suite found'))).toEqual([]);
  });

  it.each(ids.map((id) => ({ id, tested: [...(files.get(id) ?? [])].toSorted().join(' ') })))(
    '$id has a test',
    ({ tested }) => {
      expect(tested).not.toBe('');
    },
  );
});
