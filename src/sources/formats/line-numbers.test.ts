import fc from 'fast-check';
import { type JSONPath, visit } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import type { DocumentPath, Format } from './document.js';
import { parseText } from './index.js';
import { jsonLines } from './json-lines.js';

/** The line of the path must be the line of its marker, a unique comment or word. */
interface Marked {
  readonly title: string;
  readonly format: Format;
  readonly text: string;
  readonly path: DocumentPath;
}

const cases: readonly Marked[] = [
  { title: 'a key', format: 'json', text: '{\n"a": {\n"b": 1,\n"c": "HERE"\n}}', path: ['a', 'c'] },
  {
    title: 'a key whose value begins on a later line',
    format: 'json',
    text: '{"a": {\n"HERE":\n\n{}}}',
    path: ['a', 'HERE'],
  },
  {
    title: 'a key after a comment that contains the same key',
    format: 'json',
    text: '{\n// "a": 1\n/* "a": 2 */\n"a": "HERE",}',
    path: ['a'],
  },
  {
    title: 'a key after a string that resembles it',
    format: 'json',
    text: '{"x": "\\"a\\": 1,\\n",\n"a": "HERE"}',
    path: ['a'],
  },
  { title: 'the last of two equal keys', format: 'json', text: '{"a": 1,\n"a": "HERE"}', path: ['a'] },
  {
    title: 'a key in the last of two equal maps',
    format: 'json',
    text: '{"m": {"a": 1},\n"m": {\n"a": "HERE"}}',
    path: ['m', 'a'],
  },
  { title: 'an escaped key', format: 'json', text: '{"x": 1,\n"\\u0061\\"b": "HERE"}', path: ['a"b'] },
  { title: 'an item of a list', format: 'json', text: '{"a": [\n1,\n[2, 3],\n"HERE"\n]}', path: ['a', 2] },
  {
    title: 'a key below an item of a list',
    format: 'json',
    text: '[{"a": 1},\n{"b": 2,\n"a": "HERE"}]',
    path: [1, 'a'],
  },
  {
    title: 'a key with Windows line endings',
    format: 'json',
    text: '{\r\n"a": 1, // x\r\n"b": "HERE"\r\n}',
    path: ['b'],
  },
  { title: 'a key that contains a dot', format: 'json', text: '{"a.b": {\n"c": "HERE"}}', path: ['a.b', 'c'] },
  { title: 'a bare key', format: 'json5', text: "{a: 'x}',\n // b: 1\n b /* c */ : 'HERE'}", path: ['b'] },
  { title: 'a key in single quotes', format: 'json5', text: "{a: [1,],\n'it\\'s': 'HERE',}", path: ["it's"] },
  { title: 'a header', format: 'toml', text: '[a.x]\nb = 1\n\n[a.y] # HERE\nb = 2', path: ['a', 'y'] },
  {
    title: 'the first header of a table',
    format: 'toml',
    text: '[x]\n[a.y.env] # HERE\nb = 2\n[a.y]\nc = 1',
    path: ['a', 'y'],
  },
  { title: 'a header with quotes and blanks', format: 'toml', text: '[a.b]\n[ a . "x.y" ] # HERE', path: ['a', 'x.y'] },
  { title: 'a header with an escape', format: 'toml', text: '[a.b]\n[a."x\\u0021"] # HERE', path: ['a', 'x!'] },
  { title: 'a dotted key', format: 'toml', text: '[a]\nb.c = 1\nx.c = 1 # HERE\nx.d = 2', path: ['a', 'x'] },
  {
    title: 'a key of an inline table',
    format: 'toml',
    text: 'z = [\n1,\n]\na = { b = { c = "}" }, x = { d = "HERE" } }',
    path: ['a', 'x'],
  },
  {
    title: 'a header after a string that resembles one',
    format: 'toml',
    text: 'd = """\n[a.x]\n\\"""\n[a.x]"""\n[a.x] # HERE',
    path: ['a', 'x'],
  },
  {
    title: 'a header after a literal string that resembles one',
    format: 'toml',
    text: "d = '''\n[a.x]\n'''\n[a.x] # HERE",
    path: ['a', 'x'],
  },
  {
    title: 'a header after a list that resembles one',
    format: 'toml',
    text: 'd = [\n["a.x"], # ]\n["a"],\n]\n[a.x] # HERE',
    path: ['a', 'x'],
  },
  { title: 'a table in a list', format: 'toml', text: '[[a]]\nb = 1\n[[a]] # HERE\nb = 2\n[[a]]', path: ['a', 1] },
  {
    title: 'a key of a table in a list',
    format: 'toml',
    text: '[[a]]\nb = 1\n[[a]]\nc = 1\nb = 2 # HERE',
    path: ['a', 1, 'b'],
  },
  {
    title: 'a table below a list of tables',
    format: 'toml',
    text: '[[a]]\n[a.b]\n[[a]]\n[a.b] # HERE\nc = 1',
    path: ['a', 1, 'b'],
  },
  { title: 'an inline table in a list', format: 'toml', text: 'a = [\n{ b = 1 },\n{ b = "HERE" },\n]', path: ['a', 1] },
  { title: 'a header with Windows line endings', format: 'toml', text: '[a]\r\nb = 1\r\n[c] # HERE\r\n', path: ['c'] },
  { title: 'a key', format: 'yaml', text: 'a:\n  b: 1\n\n  c: HERE\n', path: ['a', 'c'] },
  { title: 'an item of a list', format: 'yaml', text: 'a:\n  - b: 1\n    c: 2\n  - HERE: 3\n', path: ['a', 1] },
  { title: 'a key in flow style', format: 'yaml', text: 'a: {b: 1,\n  c: HERE}', path: ['a', 'c'] },
  { title: 'a number as a key', format: 'yaml', text: 'a:\n  x: 1\n  1: HERE', path: ['a', '1'] },
  {
    title: 'a key below an alias, at its definition',
    format: 'yaml',
    text: 'x: &x\n  b: HERE\na: *x\n',
    path: ['a', 'b'],
  },
  {
    title: 'a key after a string that resembles it',
    format: 'yaml',
    text: 'a:\n  t: |\n    c: 1\n  c: HERE',
    path: ['a', 'c'],
  },
  { title: 'a key of front matter', format: 'front-matter', text: '---\na:\n  b: HERE\n---\n', path: ['a', 'b'] },
];

describe('the line of', () => {
  it.each(cases)('$title in $format is found', async ({ text, format, path }) => {
    const parsed = await parseText(text, format);
    expect(parsed.kind).toBe('parsed');
    if (parsed.kind !== 'parsed') return;
    expect(parsed.document.lineOf(path)).toBe(text.slice(0, text.indexOf('HERE')).split('\n').length);
    expect(parsed.document.lineOf([...path, 'nothing', 'here'])).toBeUndefined();
    expect(parsed.document.lineOf(['nothing', ...path])).toBeUndefined();
  });

  it('a line of a text file is the line itself', async () => {
    const parsed = await parseText('a\nb', 'text');
    expect(parsed.kind === 'parsed' && parsed.document.lineOf([2])).toBe(2);
  });
});

describe('lines in JSON', () => {
  const blank = fc.constantFrom('', ' ', '\n', '\r\n', '\t', ' // c {[,"\n', '/* "x": { */', '/*\n*/');
  const key = fc.oneof(
    fc.string({ maxLength: 4 }),
    fc.constantFrom('a', 'b', '__proto__', '//', '"', '\\', '{', 'é\u2028'),
  );
  const { node: jsonText } = fc.letrec<{ node: string; map: string; list: string; plain: string }>((tie) => ({
    node: fc.oneof({ maxDepth: 4 }, tie('plain'), tie('map'), tie('list')),
    plain: fc.oneof(
      fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
      fc.constantFrom('1', '-0.5e3', 'true', 'null', '"//"', '"}"'),
    ),
    map: fc
      .tuple(fc.array(fc.tuple(blank, key, blank, blank, tie('node'), blank), { maxLength: 4 }), fc.boolean(), blank)
      .map(([members, trailing, end]) => {
        const all = members.map(([b1, k, b2, b3, v, b4]) => `${b1}${JSON.stringify(k)}${b2}:${b3}${v}${b4}`);
        return `{${all.join(',')}${trailing && all.length > 0 ? ',' : ''}${end}}`;
      }),
    list: fc
      .tuple(fc.array(fc.tuple(blank, tie('node'), blank), { maxLength: 4 }), fc.boolean(), blank)
      .map(([items, trailing, end]) => {
        const all = items.map((parts) => parts.join(''));
        return `[${all.join(',')}${trailing && all.length > 0 ? ',' : ''}${end}]`;
      }),
  }));

  it('equal those of a parser with positions', () => {
    fc.assert(
      fc.property(blank, jsonText, blank, (before, json, after) => {
        const text = `${before}${json}${after}`;
        const lineOf = jsonLines(text);
        for (const { path, line } of positions(text)) expect({ path, line: lineOf(path) }).toEqual({ path, line });
      }),
      // An escaped apostrophe, which only JSON5 decodes as one character.
      { numRuns: 1_000, examples: [['', String.raw`{"a":{"\\'":1}}`, '']] },
    );
  });
});

/** The line of each member, as reported by the parser; the last of equal paths counts. */
function positions(text: string): { path: JSONPath; line: number }[] {
  const found = new Map<string, { path: JSONPath; line: number }>();
  const note = (path: JSONPath, line: number) => {
    // Later equal keys also replace the members below the earlier key.
    const prefix = JSON.stringify(path).slice(0, -1);
    for (const key of found.keys()) if (key.startsWith(`${prefix},`) || key === `${prefix}]`) found.delete(key);
    found.set(JSON.stringify(path), { path, line });
  };
  const begin = (path: JSONPath, line: number) => {
    if (typeof path.at(-1) === 'number') note(path, line);
  };
  visit(
    text,
    {
      onObjectProperty: (property, _offset, _length, line, _character, pathTo) =>
        note([...pathTo(), property], line + 1),
      onObjectBegin: (_offset, _length, line, _character, pathTo) => begin(pathTo(), line + 1),
      onArrayBegin: (_offset, _length, line, _character, pathTo) => begin(pathTo(), line + 1),
      onLiteralValue: (_value, _offset, _length, line, _character, pathTo) => begin(pathTo(), line + 1),
    },
    { allowTrailingComma: true },
  );
  return [...found.values()];
}
