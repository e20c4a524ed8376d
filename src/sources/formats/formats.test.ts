import { describe, expect, it } from 'vitest';
import type { Format } from './document.js';
import { parseText } from './index.js';

async function readValue(text: string, format: Format): Promise<unknown> {
  const parsed = await parseText(text, format);
  if (parsed.kind === 'broken') throw new Error(`${parsed.message} (line ${parsed.line})`);
  return parsed.document.value;
}

/** The line of a unique marker word, at which a problem should point. */
function lineOfMarker(text: string, marker: string): number {
  expect(text.split(marker)).toHaveLength(2);
  return text.slice(0, text.indexOf(marker)).split('\n').length;
}

describe('a valid file', () => {
  const cases: readonly { title: string; format: Format; text: string; value: unknown }[] = [
    { title: 'plain JSON', format: 'json', text: '{"a":[1,true,null,"x"]}', value: { a: [1, true, null, 'x'] } },
    {
      title: 'JSON with both kinds of comments',
      format: 'json',
      text: '// one\n{ /* two */ "a": 1 // three\n}',
      value: { a: 1 },
    },
    {
      title: 'JSON with trailing commas',
      format: 'json',
      text: '{"a":[1,2,],"b":{"c":3,},}',
      value: { a: [1, 2], b: { c: 3 } },
    },
    {
      title: 'comment markers inside strings',
      format: 'json',
      text: '{"a":"//x","b":"/*y*/",}',
      value: { a: '//x', b: '/*y*/' },
    },
    { title: 'a byte order mark', format: 'json', text: '\uFEFF{"a":1}', value: { a: 1 } },
    { title: 'a byte order mark before a comment', format: 'json', text: '\uFEFF// x\n{"a":1}', value: { a: 1 } },
    {
      title: 'Windows line endings',
      format: 'json',
      text: '{\r\n  "a": 1, // x\r\n  "b": 2,\r\n}\r\n',
      value: { a: 1, b: 2 },
    },
    { title: 'the last of two equal keys', format: 'json', text: '{"a":1,"a":2,}', value: { a: 2 } },
    { title: 'escapes in keys and values', format: 'json', text: '{"\\u0061\\n":"\\"\\\\",}', value: { 'a\n': '"\\' } },
    { title: 'only a comment', format: 'json', text: '// later', value: undefined },
    { title: 'plain JSON as JSON5', format: 'json5', text: '{"a":1}', value: { a: 1 } },
    {
      title: 'JSON5 with bare keys and single quotes',
      format: 'json5',
      text: "{a: 'x', $b_1: 'it\\'s',}",
      value: { a: 'x', $b_1: "it's" },
    },
    {
      title: 'JSON5 numbers',
      format: 'json5',
      text: '{a: 0x1F, b: .5, c: 5., d: +1}',
      value: { a: 31, b: 0.5, c: 5, d: 1 },
    },
    {
      title: 'JSON5 over several lines',
      format: 'json5',
      text: "{a: 'x\\\ny', /* c */ b: 1, // d\n}",
      value: { a: 'xy', b: 1 },
    },
    {
      title: 'TOML tables, dotted and quoted keys',
      format: 'toml',
      text: '[a.b]\nc.d = 1\n"e.f" = 2\n\'g\' = 3\n[a."x y"]\nh = true',
      value: { a: { b: { c: { d: 1 }, 'e.f': 2, g: 3 }, 'x y': { h: true } } },
    },
    {
      title: 'TOML inline tables',
      format: 'toml',
      text: 'a = { b = { c = "x" }, d = [1, 2] }',
      value: { a: { b: { c: 'x' }, d: [1, 2] } },
    },
    {
      title: 'TOML lists of tables',
      format: 'toml',
      text: '[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3',
      value: { a: [{ b: 1 }, { b: 2, c: { d: 3 } }] },
    },
    { title: 'TOML with Windows line endings', format: 'toml', text: '[a]\r\nb = "x"\r\n', value: { a: { b: 'x' } } },
    { title: 'TOML with a byte order mark', format: 'toml', text: '\uFEFFa = 1', value: { a: 1 } },
    {
      title: 'words that are booleans in YAML 1.1',
      format: 'yaml',
      text: 'off: 1\non: no\nno: yes\ny: off',
      value: { off: 1, on: 'no', no: 'yes', y: 'off' },
    },
    {
      title: 'YAML booleans, and numbers that look octal',
      format: 'yaml',
      text: 'a: true\nb: 010\nc: 1:30',
      value: { a: true, b: 10, c: '1:30' },
    },
    {
      title: 'YAML anchors',
      format: 'yaml',
      text: 'a: &x {b: 1}\nc: *x\nd: [*x]',
      value: { a: { b: 1 }, c: { b: 1 }, d: [{ b: 1 }] },
    },
    { title: 'an empty YAML file', format: 'yaml', text: '# nothing yet\n', value: null },
    { title: 'front matter', format: 'front-matter', text: '---\na: 1\n---\n# Title\n', value: { a: 1 } },
    {
      title: 'front matter with Windows line endings',
      format: 'front-matter',
      text: '---\r\na: 1\r\nb: x\r\n---\r\ntext',
      value: { a: 1, b: 'x' },
    },
    {
      title: 'front matter with blanks after its fences',
      format: 'front-matter',
      text: '--- \na: 1\n---\t\n',
      value: { a: 1 },
    },
    { title: 'front matter at the end of the file', format: 'front-matter', text: '---\na: 1\n---', value: { a: 1 } },
    { title: 'empty front matter', format: 'front-matter', text: '---\n---\ntext', value: null },
    { title: 'no front matter', format: 'front-matter', text: '# Title\n---\na: 1\n---\n', value: undefined },
    {
      title: 'front matter that is never closed',
      format: 'front-matter',
      text: '---\na: 1\n# Title\n',
      value: undefined,
    },
    {
      title: 'a longer line that resembles the closing fence',
      format: 'front-matter',
      text: '---\na: |\n  x\n----\n',
      value: undefined,
    },
    { title: 'any text as text', format: 'text', text: '<a>\0</a>', value: '<a>\0</a>' },
  ];
  it.each(cases)('parses $title', async ({ text, format, value }) => {
    expect(await readValue(text, format)).toEqual(value);
  });

  it.each<{ format: Format; text: string }>([
    { format: 'json', text: '{"__proto__":{"command":"x"},"constructor":1,"toString":2}' },
    { format: 'json', text: '{"__proto__":{"command":"x"},"constructor":1,"toString":2,} // jsonc' },
    { format: 'json5', text: "{__proto__:{command:'x'},constructor:1,toString:2}" },
    { format: 'toml', text: 'constructor = 1\ntoString = 2\n[__proto__]\ncommand = "x"' },
    { format: 'yaml', text: '__proto__: {command: x}\nconstructor: 1\ntoString: 2' },
  ])('treats __proto__ as an ordinary key in $format: $text', async ({ text, format }) => {
    const value = await readValue(text, format);
    expect(Object.entries(Object(value)).sort(([a], [b]) => (a < b ? -1 : 1))).toEqual([
      ['__proto__', { command: 'x' }],
      ['constructor', 1],
      ['toString', 2],
    ]);
    expect(Object(value).command).toBeUndefined();
    expect(Object.hasOwn(Object.prototype, 'command')).toBe(false);
  });
});

describe('an invalid file', () => {
  it.each<{ title: string; format: Format; text: string; message: RegExp }>([
    {
      title: 'JSON with a missing comma',
      format: 'json',
      text: '{\n"a": 1\n"HERE": 2\n}',
      message: /not valid JSON: comma expected/,
    },
    { title: 'JSON with a bare word', format: 'json', text: '{\n\n"a": HERE\n}', message: /not valid JSON/ },
    { title: 'JSONC after a comment', format: 'json', text: '// x\r\n{\r\n"a": HERE }', message: /not valid JSON/ },
    { title: 'JSON5 with a bare word', format: 'json5', text: "{a: 'x',\n b: HERE}", message: /not valid JSON5/ },
    { title: 'TOML without a value', format: 'toml', text: 'a = 1\n[b]\nHERE =\n', message: /not valid TOML/ },
    {
      title: 'TOML with a repeated table',
      format: 'toml',
      text: '[a]\nb = 1\n\n[a] # HERE\n',
      message: /not valid TOML/,
    },
    {
      title: 'YAML with a repeated key',
      format: 'yaml',
      text: 'a: 1\nb: 2\na: HERE\n',
      message: /not valid YAML: Map keys must be unique/,
    },
    {
      title: 'YAML with a repeated key in a nested map',
      format: 'yaml',
      text: 'x:\n  - {a: 1}\n  - {b: 1, b: HERE}\n',
      message: /unique/,
    },
    {
      title: 'YAML with an unclosed list',
      format: 'yaml',
      text: 'a: 1\nb: [HERE\n',
      message: /not valid YAML/,
    },
    {
      title: 'YAML with an undefined alias',
      format: 'yaml',
      text: 'a: 1\nb: *HERE\n',
      message: /not valid YAML: the alias HERE/,
    },
    {
      title: 'front matter, with lines counted from the top of the file',
      format: 'front-matter',
      text: '---\na: 1\na: HERE\n---\n',
      message: /unique/,
    },
  ])('is reported with its line: $title', async ({ text, format, message }) => {
    const parsed = await parseText(text, format);
    const nearMarker = [lineOfMarker(text, 'HERE'), lineOfMarker(text, 'HERE') + 1];
    expect(parsed).toMatchObject({ kind: 'broken', message: expect.stringMatching(message) });
    if (parsed.kind === 'broken') expect(nearMarker).toContain(parsed.line);
  });

  it.each<{ format: Format; text: string }>([
    { format: 'json', text: '' },
    { format: 'json', text: ' \n\t' },
    { format: 'json5', text: '\n' },
  ])('reports an empty $format file as empty: $text', async ({ format, text }) => {
    expect(await parseText(text, format)).toEqual({
      kind: 'broken',
      message: 'the file is empty',
      line: 1,
      empty: true,
    });
  });

  const deep = 100_000;
  it.each<{ title: string; format: Format; text: string }>([
    { title: 'many open brackets', format: 'json', text: '['.repeat(deep) },
    { title: 'many open brackets with a comment', format: 'json', text: `//\n${'['.repeat(deep)}` },
    { title: 'many open braces', format: 'json5', text: '{a:'.repeat(deep) },
    { title: 'nested lists', format: 'toml', text: `a = ${'['.repeat(deep)}` },
    { title: 'nested lists', format: 'yaml', text: '['.repeat(deep) },
    { title: 'aliases that multiply', format: 'yaml', text: aliasBomb(9) },
    { title: 'an alias that refers to itself', format: 'yaml', text: 'a: &a [*a]' },
    { title: 'many aliases', format: 'yaml', text: `a: &a 1\nb:\n${'  - *a\n'.repeat(2_000)}` },
    { title: 'a file over the size limit', format: 'yaml', text: 'a: 1\n'.repeat(300_000) },
    { title: 'a file over the size limit', format: 'toml', text: '# comment\n'.repeat(500_000) },
    { title: 'a file over the size limit', format: 'json5', text: `{a:1}${' '.repeat(5_000_000)}` },
    { title: 'a line separator', format: 'json5', text: "{a: '\u2028'}" },
    { title: 'NUL characters', format: 'json', text: '\0\0\0' },
    { title: 'NUL characters', format: 'toml', text: '\0\0\0' },
  ])('is refused: $title in $format', async ({ text, format }) => {
    expect(await parseText(text, format)).toEqual({
      kind: 'broken',
      message: expect.stringMatching(/^[^\n]{5,200}$/),
      line: expect.any(Number),
    });
  });
});

function aliasBomb(levels: number): string {
  const lines = Array.from({ length: levels }, (_, n) => {
    const inner = n === 0 ? 'lol' : `*a${n - 1}`;
    return `a${n}: &a${n} [${Array.from({ length: 9 }, () => inner).join(', ')}]`;
  });
  return lines.join('\n');
}
