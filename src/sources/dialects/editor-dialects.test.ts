import { describe, expect, it } from 'vitest';
import type { Dialect } from '../dialect.js';
import { type Fields, InvalidEntry } from '../fields.js';
import {
  amazonqDialect,
  ampDialect,
  antigravityDialect,
  clineDialect,
  continueDialect,
  copilotDialect,
  cursorDialect,
  devinDialect,
  kiroDialect,
  rooDialect,
  vscodeDialect,
  warpDialect,
  windsurfDialect,
  zedDialect,
} from './editor-dialects.js';

const URL = 'https://server.example/mcp';

interface Traits {
  readonly name: string;
  readonly dialect: Dialect;
  /** The transport of a URL without a type. */
  readonly urlAlone: 'http' | 'sse' | 'auto';
  /** The types that the client documents. */
  readonly types?: Readonly<Record<string, string>>;
  readonly typeKey?: string;
  /** Milliseconds per unit of its timeout. */
  readonly unit?: number;
  /** Fields that disable an entry. */
  readonly off?: Fields;
  readonly urlWins?: boolean;
}

const DISABLED = { disabled: true };
const WEB = { sse: 'sse', http: 'http' };

const ALL: readonly Traits[] = [
  {
    name: 'cursor',
    dialect: cursorDialect,
    urlAlone: 'auto',
    types: { ...WEB, 'streamable-http': 'http' },
    off: DISABLED,
  },
  { name: 'vscode', dialect: vscodeDialect, urlAlone: 'http', types: WEB },
  { name: 'windsurf', dialect: windsurfDialect, urlAlone: 'auto', off: DISABLED },
  { name: 'antigravity', dialect: antigravityDialect, urlAlone: 'auto', off: DISABLED, urlWins: true },
  { name: 'devin', dialect: devinDialect, urlAlone: 'http', types: WEB, typeKey: 'transport' },
  { name: 'zed', dialect: zedDialect, urlAlone: 'http', unit: 1000, off: { enabled: false } },
  {
    name: 'cline',
    dialect: clineDialect,
    urlAlone: 'sse',
    types: { sse: 'sse', streamableHttp: 'http' },
    unit: 1000,
    off: DISABLED,
  },
  {
    name: 'roo',
    dialect: rooDialect,
    urlAlone: 'sse',
    types: { sse: 'sse', 'streamable-http': 'http' },
    unit: 1000,
    off: DISABLED,
  },
  { name: 'kiro', dialect: kiroDialect, urlAlone: 'http', unit: 1, off: DISABLED },
  { name: 'amazonq', dialect: amazonqDialect, urlAlone: 'http', types: { http: 'http' }, unit: 1, off: DISABLED },
  {
    name: 'copilot',
    dialect: copilotDialect,
    urlAlone: 'http',
    types: { ...WEB, 'streamable-http': 'http' },
    unit: 1,
  },
  { name: 'warp', dialect: warpDialect, urlAlone: 'auto' },
  { name: 'amp', dialect: ampDialect, urlAlone: 'auto', off: DISABLED },
  { name: 'continue', dialect: continueDialect, urlAlone: 'auto', types: { ...WEB, 'streamable-http': 'http' } },
];

describe.each(ALL)('the $name dialect', ({ dialect, urlAlone, typeKey = 'type', unit, urlWins }) => {
  it('reads a bare command', () => {
    expect(dialect({ command: 'node' })).toEqual({
      transport: 'stdio',
      enabled: true,
      problems: [],
      command: 'node',
      args: [],
    });
  });

  it('reads all fields of a program, with numbers among strings and null variables', () => {
    const entry = { command: 'node', args: ['a', 1, true], env: { A: 'a', PORT: 80, OFF: false, GONE: null } };
    expect(dialect(entry)).toMatchObject({ args: ['a', '1', 'true'], env: { A: 'a', PORT: '80', OFF: 'false' } });
    expect(dialect(entry)?.env).not.toHaveProperty('GONE');
  });

  it(`treats a URL without a type as ${urlAlone}`, () => {
    expect(dialect({ url: URL, headers: { A: 'a' } })).toEqual({
      transport: urlAlone,
      enabled: true,
      problems: [],
      url: URL,
      headers: { A: 'a' },
    });
  });

  it('warns about an entry with both a command and a URL', () => {
    expect(dialect({ command: 'node', url: URL })).toMatchObject({
      ...(urlWins ? { transport: urlAlone, url: URL } : { transport: 'stdio', command: 'node' }),
      problems: [{ code: 'ambiguous-entry' }],
    });
  });

  it.each<{ title: string; entry: Fields }>([
    { title: 'no fields', entry: {} },
    { title: 'an empty command', entry: { command: '' } },
    { title: 'an empty URL', entry: { url: '' } },
    { title: 'a list as a command', entry: { command: ['node', 'server.js'] } },
    { title: 'a number as a URL', entry: { url: 8080 } },
    { title: 'a type without a URL', entry: { [typeKey]: 'http', command: 'node' } },
    { title: 'a type without a command', entry: { [typeKey]: 'stdio', url: URL } },
    { title: 'a map as a type', entry: { [typeKey]: typeKey === 'type' ? { a: 1 } : 7, command: 'node' } },
    { title: 'arguments in one string', entry: { command: 'node', args: '--port 80' } },
    { title: 'a map among the arguments', entry: { command: 'node', args: ['a', { b: 1 }] } },
    { title: 'null among the arguments', entry: { command: 'node', args: [null] } },
    { title: 'a list as env', entry: { command: 'node', env: ['A=a'] } },
    { title: 'a map inside env', entry: { command: 'node', env: { A: { B: 'b' } } } },
    { title: 'a list inside headers', entry: { url: URL, headers: { A: ['a'] } } },
    { title: 'a string as headers', entry: { url: URL, headers: 'A: a' } },
  ])('refuses an entry with $title', ({ entry }) => {
    expect(() => dialect(entry)).toThrow(InvalidEntry);
  });

  it.each([
    { title: 'a whole number', timeout: 30, expected: 30 },
    { title: 'a fraction', timeout: 1.5, expected: 1.5 },
    { title: 'a string', timeout: '30', expected: undefined },
    { title: 'zero', timeout: 0, expected: undefined },
    { title: 'a negative number', timeout: -5, expected: undefined },
    { title: 'null', timeout: null, expected: undefined },
    { title: 'NaN', timeout: Number.NaN, expected: undefined },
    { title: 'infinity', timeout: Number.POSITIVE_INFINITY, expected: undefined },
  ])('reads $title as a time-out in its own unit, if it has one', ({ timeout, expected }) => {
    const timeoutMs = unit === undefined || expected === undefined ? undefined : Math.round(expected * unit);
    expect(dialect({ command: 'node', timeout })?.timeoutMs).toBe(timeoutMs);
  });
});

describe.each(ALL.filter(({ types }) => types))('the types of $name', ({ dialect, types = {}, typeKey = 'type' }) => {
  it('are those that are documented', () => {
    const read = Object.keys(types).map((type) => [type, dialect({ [typeKey]: type, url: URL })?.transport]);
    expect(Object.fromEntries(read)).toEqual(types);
    expect(dialect({ [typeKey]: 'stdio', command: 'node' })?.transport).toBe('stdio');
  });

  it.each(['carrier-pigeon', '', 'constructor', '__proto__', 'STDIO'])('do not include %j', (type) => {
    expect(() => dialect({ [typeKey]: type, command: 'node', url: URL })).toThrow(InvalidEntry);
  });
});

describe('the flag that disables a server', () => {
  it.each(ALL.filter(({ off }) => off))(
    'counts in $name as it is documented and in no other way',
    ({ dialect, off = {} }) => {
      const [key = ''] = Object.keys(off);
      const flags = [off, {}, { [key]: !off[key] }, { [key]: String(off[key]) }, { [key]: null }];
      const enabled = flags.map((flag) => dialect({ command: 'node', ...flag })?.enabled);
      expect(enabled).toEqual([false, true, true, true, true]);
    },
  );
});

describe('fields of only one editor', () => {
  const local = { transport: 'stdio', enabled: true, problems: [], command: 'node', args: [] };
  const remote = { transport: 'auto', enabled: true, problems: [], url: URL };

  it.each<{ title: string; dialect: Dialect; entry: Fields; expected: object }>([
    {
      title: 'the sign-in of Cursor',
      dialect: cursorDialect,
      entry: { url: URL, auth: { CLIENT_ID: 'me', CLIENT_SECRET: 's', scopes: ['read', 7] } },
      expected: { ...remote, oauth: { CLIENT_ID: 'me', CLIENT_SECRET: 's', scopes: ['read'] } },
    },
    {
      title: 'a flag that VS Code does not support',
      dialect: vscodeDialect,
      entry: { command: 'node', disabled: true, envFile: '.env', cwd: '/srv' },
      expected: { ...local, envFile: '.env', cwd: '/srv' },
    },
    {
      title: 'serverUrl in Windsurf, which has precedence over url',
      dialect: windsurfDialect,
      entry: { url: 'https://other.example/', serverUrl: URL, disabledTools: ['a', 7, 'b'], alwaysAllow: ['c'] },
      expected: { ...remote, tools: { deny: ['a', 'b'] } },
    },
    {
      title: 'tools in Windsurf that are not an array',
      dialect: windsurfDialect,
      entry: { serverUrl: URL, disabledTools: 'all' },
      expected: remote,
    },
    {
      title: 'a type in Devin, which reads only transport',
      dialect: devinDialect,
      entry: { url: URL, type: 'sse' },
      expected: { ...remote, transport: 'http' },
    },
    {
      title: 'the older format of Zed',
      dialect: zedDialect,
      entry: { command: { path: 'node', args: ['a'], env: { A: '1' }, timeout: 2 }, args: ['lost'], enabled: false },
      expected: { ...local, enabled: false, args: ['a'], env: { A: '1' }, timeoutMs: 2000 },
    },
    {
      title: 'settings for an extension of Zed',
      dialect: zedDialect,
      entry: { enabled: false, settings: { a: 1 } },
      expected: { transport: 'stdio', enabled: false, problems: [], state: 'inventory-only' },
    },
    {
      title: 'the older name of the type in Cline',
      dialect: clineDialect,
      entry: { transportType: 'http', url: URL },
      expected: { ...remote, transport: 'http' },
    },
    {
      title: 'the nested entry of Cline, with its flags outside the nested map',
      dialect: clineDialect,
      entry: { transport: { type: 'stdio', command: 'node', env: { A: 1 } }, disabled: true, timeout: 5 },
      expected: { ...local, enabled: false, env: { A: '1' }, timeoutMs: 5000 },
    },
    {
      title: 'an sse server for Amazon Q, which does not support it',
      dialect: amazonqDialect,
      entry: { type: 'sse', url: URL, oauthScopes: ['read'] },
      expected: {
        ...remote,
        transport: 'sse',
        state: 'client-ignores',
        problems: [expect.objectContaining({ code: 'unsupported-transport-for-client' })],
        oauth: { scopes: ['read'] },
      },
    },
    {
      title: 'the tools of Copilot and its sign-in',
      dialect: copilotDialect,
      entry: { type: 'local', command: 'node', tools: ['a'], oauthClientId: 'me', oauthScopes: ['read'] },
      expected: { ...local, tools: { allow: ['a'] }, oauth: { clientId: 'me', scopes: ['read'] } },
    },
    {
      title: 'all tools of Copilot, which is not a restriction',
      dialect: copilotDialect,
      entry: { command: 'node', tools: ['*'] },
      expected: local,
    },
    {
      title: 'a string for the tools of Copilot',
      dialect: copilotDialect,
      entry: { command: 'node', tools: '*' },
      expected: local,
    },
    {
      title: 'the working directory of Warp',
      dialect: warpDialect,
      entry: { command: 'node', cwd: '/lost', working_directory: '/srv', description: 'Local' },
      expected: { ...local, cwd: '/srv', description: 'Local' },
    },
    {
      title: 'the tools of Amp',
      dialect: ampDialect,
      entry: { command: 'node', includeTools: ['read_*'] },
      expected: { ...local, tools: { allow: ['read_*'] } },
    },
    {
      title: 'the headers, the key and the timeout of Continue',
      dialect: continueDialect,
      entry: { url: URL, requestOptions: { headers: { A: 'a' } }, apiKey: 'k', connectionTimeout: 1500 },
      expected: { ...remote, headers: { A: 'a', Authorization: 'Bearer k' }, startupTimeoutMs: 1500 },
    },
    {
      title: 'an env file, which Continue does not read',
      dialect: continueDialect,
      entry: { command: 'node', envFile: '.env' },
      expected: { ...local, problems: [expect.objectContaining({ code: 'unsupported-field' })] },
    },
  ])('reads $title', ({ dialect, entry, expected }) => {
    expect(dialect(entry)).toEqual(expected);
  });
});
