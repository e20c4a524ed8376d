import fc from 'fast-check';
import { stringify as tomlText } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { stringify as yamlText } from 'yaml';
import type { EntryPath, Plain } from './edit-entry.js';
import { type EditFormat, readEntry, removeEntry, setEntry } from './edit-text.js';

const RUNS = { numRuns: 300 };

const word = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'x y',
    'c.d',
    'é',
    '#',
    '//',
    '"',
    "'",
    '{',
    '}',
    ',',
    '- z',
    ': ',
    '1',
    'null',
    'yes',
    '__proto__',
    'two\nlines\n',
    'more\n\n',
    ' end ',
  ),
  fc.string({ maxLength: 6 }).filter((text) => !/\p{Surrogate}/u.test(text)),
);
const key = word.filter((text) => text !== '' && text !== 'servers' && text !== 'new');
const leaf: fc.Arbitrary<Plain> = fc.oneof(word, fc.integer(), fc.boolean());
const entry: fc.Arbitrary<Plain> = fc.record(
  { command: word, args: fc.array(word, { maxLength: 3 }), env: fc.dictionary(key, word, { maxKeys: 2 }) },
  { requiredKeys: ['command'] },
);
const map = (value: fc.Arbitrary<Plain>) => fc.dictionary(key, value, { maxKeys: 3 });
/** A document with other content, with or without servers. */
const content: fc.Arbitrary<Record<string, Plain>> = fc
  .tuple(map(fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), map(leaf))), fc.option(map(entry)))
  .map(([rest, servers]) => (servers ? { ...rest, servers } : rest));

/** Random white space and comments around and inside JSON, as in hand-written files. */
interface Hand {
  readonly unit: string;
  readonly eol: string;
  readonly colon: string;
  readonly trailing: boolean;
  readonly comments: readonly string[];
  readonly mark: boolean;
  readonly end: string;
}
const hand: fc.Arbitrary<Hand> = fc.record({
  unit: fc.constantFrom('', ' ', '  ', '    ', '\t'),
  eol: fc.constantFrom('\n', '\r\n', '', ' '),
  colon: fc.constantFrom(':', ': ', ' : '),
  trailing: fc.boolean(),
  comments: fc.array(fc.constantFrom('', '', ' // note, "x": {', ' /* , } */', '\n// alone\n', '  ')),
  mark: fc.boolean(),
  end: fc.constantFrom('', '\n', '\r\n', '\n\n', ' // end'),
});

function handWritten(value: Plain, by: Hand): string {
  let count = 0;
  const breaking = by.eol.includes('\n');
  const comment = (): string => {
    const text = by.comments.length > 0 ? (by.comments[count % by.comments.length] ?? '') : '';
    count += 1;
    return !breaking && text.includes('//') ? '' : text;
  };
  const written = (one: Plain, indent: string): string => {
    if (typeof one !== 'object' || one === null) return JSON.stringify(one);
    const isList = Array.isArray(one);
    const inner = `${indent}${by.unit}`;
    const members = isList
      ? one.map((item: Plain) => written(item, inner))
      : Object.entries(one).map(([name, item]) => `${JSON.stringify(name)}${by.colon}${written(item, inner)}`);
    const [open, close] = isList ? '[]' : '{}';
    if (members.length === 0) return `${open}${comment().replace(/^.*\/\/.*$/s, '')}${close}`;
    const lines = members.map((member, n) => {
      const comma = n < members.length - 1 || by.trailing ? ',' : '';
      return `${inner}${member}${comma}${comment()}`;
    });
    return `${open}${by.eol}${lines.join(by.eol)}${by.eol}${indent}${close}`;
  };
  return `${by.mark ? '\uFEFF' : ''}${written(value, '')}${by.end}`;
}

/** Inserts comment lines between the lines of a block style text. */
function strewn(text: string, notes: readonly number[], eol: string, end: boolean): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const isSafe = !/["'|>]{3}|[|>][-+\d]*$/m.test(text);
  const noted = lines.flatMap((line, n) => {
    const note = isSafe ? (notes[n % Math.max(1, notes.length)] ?? 0) : 0;
    return note === 1 ? ['# note: x', line] : note === 2 ? ['', line] : [line];
  });
  return `${noted.join(eol)}${end && text !== '' ? eol : ''}`;
}

const notes = fc.array(fc.constantFrom(0, 0, 1, 2), { minLength: 1, maxLength: 5 });

async function holds(text: string, format: EditFormat, at: EntryPath, value: Plain): Promise<void> {
  const made = await setEntry(text, format, at, value);
  expect(await readEntry(made, format, at)).toEqual(value);
  expect(await removeEntry(made, format, at)).toBe(text);
  expect(outside(text, made)).toBe(true);
  expect(await setEntry(made, format, at, value)).toSatisfy((again: string) => again.length > 0);
}

/** Whether the new text minus at most two parts is the old text: the entry and the comma before it. */
function outside(old: string, made: string): boolean {
  let head = 0;
  while (head < old.length && old[head] === made[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && old.at(-1 - tail) === made.at(-1 - tail)) tail += 1;
  const middle = old.slice(head, old.length - tail);
  return middle === '' || (made[head] === ',' && made.slice(head + 1).startsWith(middle));
}

describe('setting an entry and removing it again', () => {
  it('restores every byte of hand-written JSON', async () => {
    await fc.assert(
      fc.asyncProperty(content, hand, entry, async (value, by, added) => {
        await holds(handWritten(value, by), 'json', { path: ['servers', 'new'] }, added);
      }),
      RUNS,
    );
  });

  it('restores every TOML text', async () => {
    await fc.assert(
      fc.asyncProperty(
        content,
        notes,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        entry,
        async (value, where, eol, end, added) => {
          await holds(strewn(tomlText(value), where, eol, end), 'toml', { path: ['servers', 'new'] }, added);
        },
      ),
      RUNS,
    );
  });

  it('restores every TOML text with a list of tables', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 3 }),
        notes,
        fc.boolean(),
        entry,
        async (items, where, end, added) => {
          const servers = items.map((item, n) => Object.assign({ name: `s${n}` }, item));
          const text = strewn(tomlText(servers.length > 0 ? { x: 1, servers } : { x: 1 }), where, '\n', end);
          await holds(text, 'toml', { path: ['servers', 'new'], list: true }, Object.assign({ name: 'new' }, added));
        },
      ),
      RUNS,
    );
  });

  it('restores every YAML text', async () => {
    const style = fc.record({
      indent: fc.constantFrom(2, 3, 4),
      indentSeq: fc.boolean(),
      collectionStyle: fc.constantFrom('any', 'flow'),
    });
    await fc.assert(
      fc.asyncProperty(content, style, notes, fc.boolean(), entry, async (value, how, where, end, added) => {
        const text = strewn(yamlText(value, { ...how, lineWidth: 0 }), where, '\n', end);
        await holds(text, 'yaml', { path: ['servers', 'new'] }, added);
      }),
      RUNS,
    );
  });

  it('restores every YAML text with a list of names', async () => {
    const style = fc.record({ indent: fc.constantFrom(2, 4), indentSeq: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 3 }),
        style,
        notes,
        fc.boolean(),
        entry,
        async (items, how, where, end, added) => {
          const servers = items.map((item, n) => Object.assign({ name: `s${n}` }, item));
          const text = strewn(yamlText({ servers, x: 'y' }, { ...how, lineWidth: 0 }), where, '\n', end);
          await holds(text, 'yaml', { path: ['servers', 'new'], list: true }, Object.assign({ name: 'new' }, added));
        },
      ),
      RUNS,
    );
  });
});
