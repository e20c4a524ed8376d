import { describe, expect, it } from 'vitest';
import type { Dialect } from '../dialect.js';
import { InvalidEntry } from '../fields.js';
import {
  codexDialect,
  codexJsonDialect,
  crushDialect,
  geminiDialect,
  gooseDialect,
  opencodeDialect,
  opencodeGoDialect,
  vibeDialect,
} from './agent-dialects.js';

interface Case {
  readonly title: string;
  readonly dialect: Dialect;
  readonly written: Readonly<Record<string, unknown>>;
  readonly expected: unknown;
}

const on = { enabled: true, problems: [] };
const program = { transport: 'stdio', command: 'x', args: [], ...on };
const url = 'https://x.example/mcp';

const READ: readonly Case[] = [
  {
    title: 'OpenCode: a command string is a program without arguments',
    dialect: opencodeDialect,
    written: { type: 'local', command: 'x y' },
    expected: { ...program, command: 'x y' },
  },
  {
    title: 'OpenCode: numbers and booleans among the words become strings',
    dialect: opencodeDialect,
    written: { type: 'local', command: ['x', 1, true], environment: { PORT: 80, NONE: null } },
    expected: { ...program, args: ['1', 'true'], env: { PORT: '80' } },
  },
  {
    title: 'OpenCode: a key of another client is ignored',
    dialect: opencodeDialect,
    written: { type: 'local', command: ['x'], args: ['not read'], env: { NOT: 'read' } },
    expected: program,
  },
  {
    title: 'OpenCode: entries of both generations are disabled if either flag says so',
    dialect: opencodeDialect,
    written: { type: 'remote', url, enabled: true, disabled: true, oauth: false, timeout: { request: 0 } },
    expected: { transport: 'auto', url, enabled: false, problems: [] },
  },
  {
    title: 'OpenCode: a timeout that is not a number is ignored',
    dialect: opencodeDialect,
    written: { type: 'remote', url, timeout: 'soon' },
    expected: { transport: 'auto', url, ...on },
  },
  {
    title: 'OpenCode (Go): pairs are split at the first equals sign',
    dialect: opencodeGoDialect,
    written: { command: 'x', env: ['A=b=c', 'E='] },
    expected: { ...program, env: { A: 'b=c', E: '' } },
  },
  {
    title: 'Codex: an integer timeout in TOML may be a BigInt',
    dialect: codexDialect,
    written: { command: 'x', tool_timeout_sec: 60n, startup_timeout_sec: 0.5 },
    expected: { ...program, timeoutMs: 60_000, startupTimeoutMs: 500, byName: { env: {} } },
  },
  {
    title: 'Codex: seconds have precedence over milliseconds, and zero is ignored',
    dialect: codexDialect,
    written: { command: 'x', startup_timeout_sec: 2, startup_timeout_ms: 9, tool_timeout_sec: 0 },
    expected: { ...program, startupTimeoutMs: 2000, byName: { env: {} } },
  },
  {
    title: 'Codex: variable names are strings or maps, and other items are ignored',
    dialect: codexDialect,
    written: { command: 'x', env_vars: ['A', { name: 'B', source: 'remote' }, 7, {}] },
    expected: { ...program, byName: { env: { A: { variable: 'A' }, B: { variable: 'B' } } } },
  },
  {
    title: 'Codex: three ways to set a header',
    dialect: codexDialect,
    written: { url, http_headers: { A: '1' }, env_http_headers: { B: 'B_VAR' }, bearer_token_env_var: 'T' },
    expected: {
      transport: 'http',
      url,
      ...on,
      headers: { A: '1' },
      byName: { headers: { B: { variable: 'B_VAR' }, Authorization: { variable: 'T', prefix: 'Bearer ' } } },
    },
  },
  {
    title: 'Codex: a headers helper as a list of words',
    dialect: codexDialect,
    written: { url, http_headers_helper: ['print', 'headers'] },
    expected: { transport: 'http', url, ...on, headersHelper: 'print headers', byName: { headers: {} } },
  },
  {
    title: 'Codex plugins: an entry in the format of Claude Code',
    dialect: codexJsonDialect,
    written: { type: 'sse', url, headers: { A: '1' }, disabled: true },
    expected: { transport: 'sse', url, headers: { A: '1' }, enabled: false, problems: [], byName: { headers: {} } },
  },
  {
    title: 'Gemini: a bare port gets its protocol',
    dialect: geminiDialect,
    written: { tcp: 'localhost:80' },
    expected: { transport: 'ws', url: 'ws://localhost:80', ...on },
  },
  {
    title: 'Gemini: an existing protocol is kept',
    dialect: geminiDialect,
    written: { tcp: 'wss://x.example/' },
    expected: { transport: 'ws', url: 'wss://x.example/', ...on },
  },
  {
    title: 'Gemini: the first of three URL keys is used, with one warning',
    dialect: geminiDialect,
    written: { httpUrl: url, url: 'https://other.example', command: 'x' },
    expected: {
      transport: 'http',
      url,
      enabled: true,
      problems: [expect.objectContaining({ code: 'ambiguous-entry', severity: 'warning' })],
    },
  },
  {
    title: 'Gemini: a type has precedence over the key',
    dialect: geminiDialect,
    written: { httpUrl: url, type: 'sse' },
    expected: { transport: 'sse', url, ...on },
  },
  ...['builtin', 'platform', 'frontend', 'inline_python'].map((type) => ({
    title: `Goose: an extension of type ${type} is not a server`,
    dialect: gooseDialect,
    written: { type, name: 'x', cmd: 'x' },
    expected: undefined,
  })),
  {
    title: 'Goose: SSE is no longer supported',
    dialect: gooseDialect,
    written: { type: 'sse', uri: url, enabled: false },
    expected: {
      transport: 'sse',
      url,
      enabled: false,
      state: 'client-ignores',
      problems: [expect.objectContaining({ code: 'unsupported-transport-for-client' })],
    },
  },
  {
    title: 'Goose: keys are requested from the user',
    dialect: gooseDialect,
    written: { type: 'stdio', cmd: 'x', env_keys: ['K', 1], available_tools: [] },
    expected: { ...program, byName: { env: { K: { variable: 'K', asks: true } } } },
  },
  {
    title: 'Crush: an entry without a type is a program, and a session token is ignored',
    dialect: crushDialect,
    written: { command: 'x', url, oauth: true, oauth_token: { access_token: 'hidden' } },
    expected: program,
  },
  {
    title: 'Crush: both lists of tools',
    dialect: crushDialect,
    written: { type: 'http', url, timeout: 1.5, enabled_tools: ['a'], disabled_tools: ['b'] },
    expected: { transport: 'http', url, ...on, timeoutMs: 1500, tools: { allow: ['a'], deny: ['b'] } },
  },
  {
    title: 'Vibe: the transport under a separate key',
    dialect: vibeDialect,
    written: { transport: 'streamable-http', url },
    expected: { transport: 'http', url, ...on },
  },
];

const REFUSED: readonly Omit<Case, 'expected'>[] = [
  { title: 'OpenCode: no type', dialect: opencodeDialect, written: { command: ['x'] } },
  { title: 'OpenCode: a type of another client', dialect: opencodeDialect, written: { type: 'stdio', command: ['x'] } },
  { title: 'OpenCode: an empty list of words', dialect: opencodeDialect, written: { type: 'local', command: [] } },
  { title: 'OpenCode: no command', dialect: opencodeDialect, written: { type: 'local' } },
  { title: 'OpenCode: a map as a word', dialect: opencodeDialect, written: { type: 'local', command: ['x', {}] } },
  { title: 'OpenCode: no URL', dialect: opencodeDialect, written: { type: 'remote', command: ['x'] } },
  { title: 'OpenCode (Go): no equals sign', dialect: opencodeGoDialect, written: { command: 'x', env: ['A'] } },
  { title: 'OpenCode (Go): no name', dialect: opencodeGoDialect, written: { command: 'x', env: ['=a'] } },
  { title: 'OpenCode (Go): nothing', dialect: opencodeGoDialect, written: {} },
  { title: 'Codex: both a command and a URL', dialect: codexDialect, written: { command: 'x', url } },
  { title: 'Codex: nothing', dialect: codexDialect, written: { enabled: true } },
  { title: 'Codex: headers that are not a map', dialect: codexDialect, written: { url, http_headers: 'A: 1' } },
  {
    title: 'Codex: named headers that are not a map',
    dialect: codexDialect,
    written: { url, env_http_headers: ['A'] },
  },
  { title: 'Gemini: nothing', dialect: geminiDialect, written: { trust: true } },
  { title: 'Gemini: a list as a command', dialect: geminiDialect, written: { command: ['x'] } },
  { title: 'Goose: no type', dialect: gooseDialect, written: { cmd: 'x' } },
  { title: 'Goose: no cmd', dialect: gooseDialect, written: { type: 'stdio', command: 'x' } },
  { title: 'Goose: no uri', dialect: gooseDialect, written: { type: 'streamable_http' } },
  { title: 'Crush: a URL without a type', dialect: crushDialect, written: { url } },
  { title: 'Crush: an unknown type', dialect: crushDialect, written: { type: 'ws', url } },
  { title: 'Vibe: an unknown transport', dialect: vibeDialect, written: { transport: 'x', command: 'x' } },
];

describe('dialects of agents', () => {
  it.each(READ)('reads $title', ({ dialect, written, expected }) => {
    expect(dialect(written)).toEqual(expected);
  });

  it.each(REFUSED)('refuses $title', ({ dialect, written }) => {
    expect(() => dialect(written)).toThrow(InvalidEntry);
  });

  it('rejects a literal token in a file of Codex, with an error that does not show it', () => {
    const draft = codexDialect({ url, bearer_token: 'very-secret' });
    expect(draft).toMatchObject({ state: 'client-ignores', problems: [{ code: 'secret-in-file', severity: 'error' }] });
    expect(JSON.stringify(draft)).not.toContain('very-secret');
  });

  it.each([opencodeDialect, opencodeGoDialect, codexDialect, geminiDialect, gooseDialect, crushDialect, vibeDialect])(
    'ignores inherited properties (%#)',
    (dialect) => {
      const inherits: Readonly<Record<string, unknown>> = Object.create({ type: 'stdio', command: 'x', cmd: 'x', url });
      expect(() => dialect(inherits)).toThrow(InvalidEntry);
    },
  );
});
