import { describe, expect, it } from 'vitest';
import { ErrorCode } from '../base/errors.js';
import type { EntryPath } from './edit-entry.js';
import { type EditFormat, readEntry, removeEntry, setEntry } from './edit-text.js';

const ENTRY = { command: 'npx', args: ['-y', 'portolan'] };
const MAP: EntryPath = { path: ['mcpServers', 'portolan'] };
const NAMED: EntryPath = { path: ['mcpServers', 'portolan'], list: true };
const CODEX: EntryPath = { path: ['mcp_servers', 'portolan'] };
const VIBE: EntryPath = { path: ['mcp_servers', 'portolan'], list: true };
const NAMED_ENTRY = { name: 'portolan', ...ENTRY };

interface Case {
  readonly title: string;
  readonly format: EditFormat;
  readonly at: EntryPath;
  readonly before: string;
  readonly after: string;
}

const INLINE = '{"command": "npx", "args": ["-y", "portolan"]}';
const DENSE = '{"command":"npx","args":["-y","portolan"]}';
const FLOW = '{command: npx, args: [-y, portolan]}';
const json = (title: string, before: string, after: string): Case => ({
  title,
  format: 'json',
  at: MAP,
  before,
  after,
});
const toml = (title: string, at: EntryPath, before: string, after: string): Case => ({
  title,
  format: 'toml',
  at,
  before,
  after,
});
const yaml = (title: string, at: EntryPath, before: string, after: string): Case => ({
  title,
  format: 'yaml',
  at,
  before,
  after,
});

const TALL = (indent: string, unit: string) =>
  [
    `${indent}"portolan": {`,
    `${indent}${unit}"command": "npx",`,
    `${indent}${unit}"args": [`,
    `${indent}${unit}${unit}"-y",`,
    `${indent}${unit}${unit}"portolan"`,
    `${indent}${unit}]`,
    `${indent}}`,
  ].join('\n');

const CASES: readonly Case[] = [
  json('a dense map', '{"mcpServers":{"a":{}}}', `{"mcpServers":{"a":{},"portolan":${DENSE}}}`),
  json('an empty map', '{\n  "mcpServers": {}\n}\n', `{\n  "mcpServers": {"portolan": ${INLINE}}\n}\n`),
  json('an empty map with spaces in it', '{ "mcpServers": { } }', `{ "mcpServers": { "portolan": ${INLINE}} }`),
  json(
    'an empty map with a comment in it',
    '{ "mcpServers": { // none yet\n } }',
    `{ "mcpServers": { // none yet\n "portolan": ${INLINE}} }`,
  ),
  json('an empty file of a map', '{}', `{"mcpServers": { "portolan": ${INLINE} }}`),
  json(
    'a multi-line map with its own indentation',
    '{\n\t"mcpServers": {\n\t\t"a": { "command": "a" }\n\t}\n}',
    `{\n\t"mcpServers": {\n\t\t"a": { "command": "a" },\n${TALL('\t\t', '\t')}\n\t}\n}`,
  ),
  json(
    'a multi-line map with a trailing comma',
    '{\n  "mcpServers": {\n    "a": {}, // the first\n  },\n}',
    `{\n  "mcpServers": {\n    "a": {}, // the first\n${TALL('    ', '  ')},\n  },\n}`,
  ),
  json(
    'a multi-line map with a comment after its last member',
    '{\n  "mcpServers": {\n    "a": {} // the first\n    // "b": {}\n  }\n}',
    `{\n  "mcpServers": {\n    "a": {}, // the first\n${TALL('    ', '  ')}\n    // "b": {}\n  }\n}`,
  ),
  json(
    'a multi-line file without the map',
    '{\n  "x": [1,2,  3]\n}\n',
    `{\n  "x": [1,2,  3],\n  "mcpServers": {\n${TALL('    ', '  ')}\n  }\n}\n`,
  ),
  json('a file in one line without the map', '{"x":1}', `{"x":1,"mcpServers":{ "portolan":${DENSE} }}`),
  json('an empty text', '', `{\n  "mcpServers": {\n${TALL('    ', '  ')}\n  }\n}`),
  json(
    'line breaks of Windows',
    '{\r\n  "mcpServers": {\r\n    "a": {}\r\n  }\r\n}\r\n',
    `{\r\n  "mcpServers": {\r\n    "a": {},\r\n${TALL('    ', '  ').replaceAll('\n', '\r\n')}\r\n  }\r\n}\r\n`,
  ),
  json('a byte order mark', '\uFEFF{"mcpServers":{"a":1}}', `\uFEFF{"mcpServers":{"a":1,"portolan":${DENSE}}}`),
  toml(
    'a text with comments',
    CODEX,
    '# mine\nmodel = "x" # best\n',
    '# mine\nmodel = "x" # best\n\n[mcp_servers.portolan]\ncommand = "npx"\nargs = ["-y", "portolan"]\n',
  ),
  toml(
    'a text without a final line break',
    CODEX,
    'a = 1',
    'a = 1\n\n[mcp_servers.portolan]\ncommand = "npx"\nargs = ["-y", "portolan"]',
  ),
  toml('an empty text', CODEX, '', '[mcp_servers.portolan]\ncommand = "npx"\nargs = ["-y", "portolan"]'),
  toml(
    'an inline table',
    CODEX,
    'mcp_servers = { a = { command = "a" } }\n',
    'mcp_servers = { a = { command = "a" }, portolan = { command = "npx", args = ["-y", "portolan"] } }\n',
  ),
  toml(
    'an empty list',
    VIBE,
    'mcp_servers = [] # none\n[x]\ny = 1\n',
    'mcp_servers = [{ name = "portolan", command = "npx", args = ["-y", "portolan"] }] # none\n[x]\ny = 1\n',
  ),
  toml(
    'a list of tables',
    VIBE,
    '[[mcp_servers]]\nname = "a"\r\n',
    '[[mcp_servers]]\nname = "a"\r\n\n[[mcp_servers]]\nname = "portolan"\ncommand = "npx"\nargs = ["-y", "portolan"]\n',
  ),
  toml(
    'a list in lines',
    VIBE,
    'mcp_servers = [\n  { name = "a" }, # one\n]\n',
    'mcp_servers = [\n  { name = "a" }, # one\n  { name = "portolan", command = "npx", args = ["-y", "portolan"] },\n]\n',
  ),
  yaml(
    'a block map with its own indentation',
    MAP,
    '# mine\nmcpServers:\n    a: # first\n        command: a # b\n\n# end\nx: 1\n',
    '# mine\nmcpServers:\n    a: # first\n        command: a # b\n    portolan:\n        command: npx\n        args:\n            - -y\n            - portolan\n\n# end\nx: 1\n',
  ),
  yaml(
    'a list of named entries',
    NAMED,
    'mcpServers:\n  - name: a\n    command: a\nx: 1',
    'mcpServers:\n  - name: a\n    command: a\n  - name: portolan\n    command: npx\n    args:\n      - -y\n      - portolan\nx: 1',
  ),
  yaml(
    'a list that is not indented',
    NAMED,
    'mcpServers:\n- name: a\n',
    'mcpServers:\n- name: a\n- name: portolan\n  command: npx\n  args:\n  - -y\n  - portolan\n',
  ),
  yaml(
    'a file without the map',
    MAP,
    'x: |\n  text\n\ny: 2',
    'x: |\n  text\n\ny: 2\nmcpServers:\n  portolan:\n    command: npx\n    args:\n      - -y\n      - portolan',
  ),
  yaml(
    'a file without the list',
    NAMED,
    'x: |\n  text\n',
    'x: |\n  text\nmcpServers:\n  - name: portolan\n    command: npx\n    args:\n      - -y\n      - portolan\n',
  ),
  yaml('an empty map in braces', MAP, 'mcpServers: {} # none\n', `mcpServers: {portolan: ${FLOW}} # none\n`),
  yaml(
    'an empty list in brackets',
    NAMED,
    'mcpServers: []\n',
    'mcpServers: [{name: portolan, command: npx, args: [-y, portolan]}]\n',
  ),
  yaml('a key without a value', MAP, 'mcpServers: # none\nx: 1\n', `mcpServers: { portolan: ${FLOW} } # none\nx: 1\n`),
  yaml(
    'an empty list',
    NAMED,
    'mcpServers:\n',
    'mcpServers: [ {name: portolan, command: npx, args: [-y, portolan]} ]\n',
  ),
  yaml('a map in braces', MAP, 'mcpServers: {a: {command: a}}\n', `mcpServers: {a: {command: a}, portolan: ${FLOW}}\n`),
  yaml(
    'a file of comments',
    MAP,
    '# nothing yet',
    '# nothing yet\nmcpServers:\n  portolan:\n    command: npx\n    args:\n      - -y\n      - portolan',
  ),
  yaml(
    'line breaks of Windows',
    MAP,
    'mcpServers:\r\n  a:\r\n    b: 1\r\n',
    'mcpServers:\r\n  a:\r\n    b: 1\r\n  portolan:\r\n    command: npx\r\n    args:\r\n      - -y\r\n      - portolan\r\n',
  ),
];

describe('an entry in a config text', () => {
  it.each(CASES)('is added to $format and removed again: $title', async ({ format, at, before, after }) => {
    const value = at.list ? NAMED_ENTRY : ENTRY;
    expect(await setEntry(before, format, at, value)).toBe(after);
    expect(await readEntry(after, format, at)).toEqual(value);
    expect(await setEntry(after, format, at, value)).toSatisfy((text: string) => text.includes('portolan'));
    expect(await removeEntry(after, format, at)).toBe(before);
  });

  it.each([
    { format: 'json', at: MAP },
    { format: 'toml', at: CODEX },
    { format: 'toml', at: VIBE },
    { format: 'yaml', at: MAP },
    { format: 'yaml', at: NAMED },
  ] as const)('creates a file of $format that the removal deletes ($at.list)', async ({ format, at }) => {
    const value = at.list ? NAMED_ENTRY : ENTRY;
    const text = await setEntry(undefined, format, at, value);
    expect(text.endsWith('\n')).toBe(true);
    expect(await readEntry(text, format, at)).toEqual(value);
    expect(await removeEntry(text, format, at)).toBeUndefined();
  });

  it.each([
    { title: 'JSON', format: 'json', at: MAP, text: '{\n "mcpServers": {\n  "a" 1\n}}', line: 3 },
    { title: 'truncated JSON', format: 'json', at: MAP, text: '{\n', line: 2 },
    { title: 'TOML', format: 'toml', at: CODEX, text: 'a = 1\nb = \n', line: 2 },
    { title: 'YAML', format: 'yaml', at: MAP, text: 'a: 1\nb: [\n', line: 3 },
    { title: 'YAML with a duplicate key', format: 'yaml', at: MAP, text: 'a: 1\na: 2\n', line: 2 },
  ] as const)('is rejected with the line number if the text is invalid $title', async ({ format, at, text, line }) => {
    const expected = { code: ErrorCode.EditRefused, message: expect.stringContaining(`line ${line} `) };
    await expect(setEntry(text, format, at, ENTRY)).rejects.toMatchObject(expected);
    await expect(removeEntry(text, format, at)).rejects.toMatchObject(expected);
  });

  it.each([
    { title: 'a list instead of a map', format: 'json', at: MAP, text: '{"mcpServers":[]}' },
    { title: 'a number instead of a document', format: 'json', at: MAP, text: '7' },
    { title: 'a map instead of a list', format: 'yaml', at: NAMED, text: 'mcpServers:\n  a: 1\n' },
    { title: 'an alias', format: 'yaml', at: MAP, text: 'a: &x\n  b: 1\nmcpServers: *x\n' },
    { title: 'two documents', format: 'yaml', at: MAP, text: 'a: 1\n---\nb: 1\n' },
    { title: 'a number instead of a table', format: 'toml', at: CODEX, text: 'mcp_servers = 1\n' },
    { title: 'too many nested maps', format: 'json', at: MAP, text: `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}` },
  ] as const)('is rejected for $title', async ({ format, at, text }) => {
    await expect(setEntry(text, format, at, ENTRY)).rejects.toMatchObject({ code: ErrorCode.EditRefused });
  });

  it.each([
    {
      format: 'json',
      at: MAP,
      text: '{\n  "mcpServers": {\n    "portolan": { "old": 1 }, // mine\n    "b": 1\n  }\n}',
    },
    { format: 'yaml', at: MAP, text: 'mcpServers:\n  portolan:\n    old: 1 # mine\n  b: 1\n' },
    { format: 'yaml', at: NAMED, text: 'mcpServers:\n  - name: portolan # mine\n    old: 1\n  - name: b\n' },
    {
      format: 'toml',
      at: CODEX,
      text: 'x = 1\n[mcp_servers.portolan]\nold = 1\n[mcp_servers.portolan.env]\nA = "b"\n[y]\nz = 1\n',
    },
    { format: 'toml', at: CODEX, text: '[mcp_servers]\nportolan.command = "old"\nb.command = "b"\n' },
  ] as const)('is replaced if it exists ($format)', async ({ format, at, text }) => {
    const value = 'list' in at ? NAMED_ENTRY : ENTRY;
    const made = await setEntry(text, format, at, value);
    expect(await readEntry(made, format, at)).toEqual(value);
    expect(made).not.toContain('old');
  });

  it.each([
    {
      title: 'the first entry of a map',
      format: 'json',
      at: MAP,
      text: '{\n  "mcpServers": {\n    "portolan": {},\n    // b\n    "b": 1\n  }\n}',
      left: '{\n  "mcpServers": {\n    // b\n    "b": 1\n  }\n}',
    },
    {
      title: 'an entry between comments',
      format: 'json',
      at: MAP,
      text: '{"mcpServers": {\n  "a": 1, // a\n  "portolan": {}, // p\n  "b": 1\n}}',
      left: '{"mcpServers": {\n  "a": 1, // a\n // p\n  "b": 1\n}}',
    },
    {
      title: 'a table with a table below it',
      format: 'toml',
      at: CODEX,
      text: 'x = 1\n\n[mcp_servers.portolan]\nold = 1\n\n[mcp_servers.portolan.env]\nA = "b"\n\n# about y\n[y]\nz = 1\n',
      left: 'x = 1\n\n# about y\n[y]\nz = 1\n',
    },
    {
      title: 'the first item of a list',
      format: 'yaml',
      at: NAMED,
      text: 'mcpServers:\n  - name: portolan\n    old: 1\n  # b\n  - name: b\n',
      left: 'mcpServers:\n  # b\n  - name: b\n',
    },
    { title: 'a missing entry', format: 'yaml', at: NAMED, text: 'a: 1', left: 'a: 1' },
  ] as const)('is removed from $format: $title', async ({ format, at, text, left }) => {
    expect(await removeEntry(text, format, at)).toBe(left);
  });

  it.each([
    {
      format: 'toml',
      at: CODEX,
      text: 'a = """\n[mcp_servers.x]\ny = 1\n"""\nb = [ # ] c\n  "]", # x\n  \'#\',\n]\n"mcp_servers".other.command = \'x\' # y\n\n[t."quo]ted"] # z\nd = 1979-05-27T07:32:00Z\n',
    },
    {
      format: 'toml',
      at: CODEX,
      text: "[mcp_servers]\n[mcp_servers.a]\ncommand = \"a\"\n[mcp_servers.a.env]\nX = '''\ny''''\n# end\n\n\n",
    },
    { format: 'toml', at: CODEX, text: '[mcp_servers]\n  [mcp_servers.a]\n  command = "a"' },
    { format: 'toml', at: CODEX, text: 'mcp_servers.a = { command = "a" }' },
    { format: 'toml', at: VIBE, text: '[[mcp_servers]]\nname = "a"\n[mcp_servers.env]\nA = "1"\n[[other]]\nx = 1\n' },
    { format: 'toml', at: VIBE, text: 'mcp_servers = [\n\t{ name = "a" } # one\n\t# two\n]\n' },
    {
      format: 'yaml',
      at: MAP,
      text: '---\n"mcpServers":\n  a: &one\n    text: |+\n      keep\n\n\n    # inner\n  b: *one\n# end\n',
    },
    { format: 'yaml', at: MAP, text: '%YAML 1.2\n---\nmcpServers:\n  a: |\n    last\n' },
    {
      format: 'yaml',
      at: MAP,
      text: 'mcpServers:\n  a:\n    b: >-\n      folded\n      text\n  # after\n\nother: [1,\n  2] # x',
    },
    { format: 'yaml', at: MAP, text: 'mcpServers:\n  a:\nother:\n' },
    { format: 'yaml', at: MAP, text: 'mcpServers:\n  a: "two\n    lines"\n' },
    { format: 'yaml', at: MAP, text: 'mcpServers: {\n  a: {b: 1}, # x\n  c: 2\n}\n' },
    { format: 'yaml', at: MAP, text: '{"mcpServers": {"a": {"command": "a"}}}\n' },
    {
      format: 'yaml',
      at: NAMED,
      text: 'mcpServers:\n  # first\n  - name: a\n    args: [1,\n      2]\n\n  - uses: x/y\n',
    },
    { format: 'yaml', at: NAMED, text: 'mcpServers:\n  -   name: a\n      env:\n          A: b\n' },
    { format: 'json', at: MAP, text: '{ "mcpServers": { "a": 1 /* x */ , /* y */ } /* z */ } // w' },
    { format: 'json', at: MAP, text: '{\n  "mcpServers": {\n    "a": "//", /* b */ "c": {}\n\n    /* end */\n  }\n}' },
    { format: 'json', at: MAP, text: '// head\n/* more */ {\n}\n// tail' },
    { format: 'json', at: MAP, text: '{"a":{"mcpServers":{}},"mcpServers" : {"b":{\n}}}' },
  ] as const)('leaves $format with $text unchanged', async ({ format, at, text }) => {
    const value = 'list' in at ? NAMED_ENTRY : ENTRY;
    const made = await setEntry(text, format, at, value);
    expect(await readEntry(made, format, at)).toEqual(value);
    expect(await removeEntry(made, format, at)).toBe(text);
  });

  it('treats names such as constructor as ordinary names', async () => {
    for (const name of ['__proto__', 'constructor', 'a.b', 'ü "quoted"\n']) {
      for (const format of ['json', 'toml', 'yaml'] as const) {
        const at = { path: ['servers', name] };
        const text = await setEntry('', format, at, ENTRY);
        expect(await readEntry(text, format, at)).toEqual(ENTRY);
        expect(await removeEntry(text, format, at)).toBe('');
      }
    }
  });
});
