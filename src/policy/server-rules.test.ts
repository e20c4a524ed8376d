import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import type { Definition } from '../model/index.js';
import { judgeByRules, parseServerRules, type ServerRule, type ServerRules } from './server-rules.js';

const name = (serverName: string): ServerRule => ({ serverName });
const command = (...serverCommand: string[]): ServerRule => ({ serverCommand });
const url = (serverUrl: string): ServerRule => ({ serverUrl });

const starts = (...words: string[]): Definition => definition({ command: words[0] ?? '', args: words.slice(1) });
const reaches = (address: string): Definition => definition({ url: address });

const rules = (said: Partial<ServerRules>): ServerRules => ({
  denied: [],
  allowManagedMcpServersOnly: false,
  pluginOnly: false,
  ...said,
});
const said = (server: Definition, lists: Partial<ServerRules>): string => {
  const verdict = judgeByRules(server, rules(lists));
  return verdict.rule === undefined ? verdict.kind : `${verdict.kind}: ${verdict.rule}`;
};

const NPX = starts('npx', '-y', 'tool');
const SITE = reaches('https://api.example/mcp');
const MISSING = 'blocked: not in the allow list';

describe('judgeByRules', () => {
  it.each<{ title: string; server: Definition; lists: Partial<ServerRules>; verdict: string }>([
    { title: 'no list', server: NPX, lists: {}, verdict: 'passes' },
    { title: 'an empty allow list', server: NPX, lists: { allowed: [] }, verdict: MISSING },
    {
      title: 'an allowed name',
      server: NPX,
      lists: { allowed: [name('a')] },
      verdict: 'passes: allowed by serverName a',
    },
    {
      title: 'an allowed name with a star',
      server: NPX,
      lists: { allowed: [name('*')] },
      verdict: 'passes: allowed by serverName *',
    },
    { title: 'a name in another case', server: NPX, lists: { allowed: [name('A')] }, verdict: MISSING },
    { title: 'a name with a prefix', server: NPX, lists: { allowed: [name('*b')] }, verdict: MISSING },
    {
      title: 'a denied name with a star',
      server: definition({ name: 'evil-7' }),
      lists: { denied: [name('good'), name('evil-*')] },
      verdict: 'blocked: denied by serverName evil-*',
    },
    {
      title: 'a name both allowed and denied',
      server: NPX,
      lists: { allowed: [name('a')], denied: [name('a')] },
      verdict: 'blocked: denied by serverName a',
    },
    {
      title: 'an allowed command',
      server: NPX,
      lists: { allowed: [command('npx', '-y', 'tool')] },
      verdict: 'passes: allowed by serverCommand npx -y tool',
    },
    { title: 'a command with fewer words', server: NPX, lists: { allowed: [command('npx', '-y')] }, verdict: MISSING },
    {
      title: 'a command with more words',
      server: NPX,
      lists: { allowed: [command('npx', '-y', 'tool', '*')] },
      verdict: MISSING,
    },
    {
      title: 'a command in another order',
      server: NPX,
      lists: { allowed: [command('npx', 'tool', '-y')] },
      verdict: MISSING,
    },
    {
      title: 'a star for one word',
      server: NPX,
      lists: { allowed: [command('npx', '-y', '*')] },
      verdict: 'passes: allowed by serverCommand npx -y *',
    },
    {
      title: 'a star in one word',
      server: starts('npx', '-y', '@team/tool@2'),
      lists: { allowed: [command('npx', '-y', '@team/*')] },
      verdict: 'passes: allowed by serverCommand npx -y @team/*',
    },
    { title: 'one star for two words', server: NPX, lists: { allowed: [command('npx', '*')] }, verdict: MISSING },
    {
      title: 'an allowed address',
      server: SITE,
      lists: { allowed: [url('https://*.example')] },
      verdict: 'passes: allowed by serverUrl https://*.example',
    },
    { title: 'another port', server: SITE, lists: { allowed: [url('https://api.example:8443')] }, verdict: MISSING },
    {
      title: 'a name beside a command, which takes precedence for programs',
      server: NPX,
      lists: { allowed: [name('a'), command('other')] },
      verdict: MISSING,
    },
    {
      title: 'a name beside a command, for a URL',
      server: SITE,
      lists: { allowed: [name('a'), command('other')] },
      verdict: 'passes: allowed by serverName a',
    },
    {
      title: 'a name beside a URL, which takes precedence for URLs',
      server: SITE,
      lists: { allowed: [name('a'), url('https://other.example')] },
      verdict: MISSING,
    },
    {
      title: 'a name beside a URL, for a program',
      server: NPX,
      lists: { allowed: [name('a'), url('https://other.example')] },
      verdict: 'passes: allowed by serverName a',
    },
    {
      title: 'a name for neither a program nor a URL',
      server: definition({ transport: 'sdk' }),
      lists: { allowed: [name('a'), url('https://other.example'), command('other')] },
      verdict: 'passes: allowed by serverName a',
    },
    {
      title: 'user and managed lists together',
      server: NPX,
      lists: { allowed: [name('a')], allowedManaged: [name('b')] },
      verdict: 'passes: allowed by serverName a',
    },
    {
      title: 'a stricter managed rule',
      server: NPX,
      lists: { allowed: [name('a')], allowedManaged: [command('b')] },
      verdict: MISSING,
    },
    {
      title: 'only the managed list',
      server: NPX,
      lists: { allowed: [name('a')], allowedManaged: [name('b')], allowManagedMcpServersOnly: true },
      verdict: 'blocked: not in the managed allow list',
    },
    {
      title: 'no managed list although only that one applies',
      server: NPX,
      lists: { allowed: [], allowManagedMcpServersOnly: true },
      verdict: 'passes',
    },
    {
      title: 'all deny lists even then',
      server: NPX,
      lists: { denied: [name('a')], allowedManaged: [name('a')], allowManagedMcpServersOnly: true },
      verdict: 'blocked: denied by serverName a',
    },
    {
      title: 'a user’s server if only plugins may define servers',
      server: NPX,
      lists: { pluginOnly: true, allowed: [name('a')] },
      verdict: 'blocked: pluginOnly: only plugins and managed settings may define servers',
    },
    { title: 'a plugin’s', server: definition({ scope: 'plugin' }), lists: { pluginOnly: true }, verdict: 'passes' },
    {
      title: 'a managed server',
      server: definition({ scope: 'managed' }),
      lists: { pluginOnly: true },
      verdict: 'passes',
    },
    {
      title: 'a plugin’s that is denied',
      server: definition({ scope: 'plugin' }),
      lists: { pluginOnly: true, denied: [name('a')] },
      verdict: 'blocked: denied by serverName a',
    },
    {
      title: 'a managed server that is not allowed',
      server: definition({ scope: 'managed' }),
      lists: { allowed: [] },
      verdict: MISSING,
    },
    {
      title: 'a server that is both denied and not allowed',
      server: NPX,
      lists: { denied: [command('npx', '-y', 'tool')], allowed: [] },
      verdict: 'blocked: denied by serverCommand npx -y tool',
    },
  ])('returns "$verdict" for $title', ({ server, lists, verdict }) => {
    expect(said(server, lists)).toBe(verdict);
  });

  it('masks the secrets of a rule', () => {
    const denied = [command('x', '--token', 'abc')];
    expect(said(starts('x', '--token', 'abc'), { denied })).toBe('blocked: denied by serverCommand x --token [secret]');
  });
});

const WRAPPED_COMMANDS: readonly (readonly string[])[] = [
  ['npx', '-y', 'evil'],
  ['cmd', '/c', 'npx', '-y', 'evil'],
  ['C:\\Windows\\System32\\cmd.exe', '/d', '/C', 'npx.cmd', '-y', 'evil'],
  ['cmd', '/c', 'npx -y evil'],
  ['cmd', '/cnpx', '-y', 'evil'],
  ['cmd', '/c', 'npx -y evil & rem'],
  ['cmd', '/c', 'n^px -y evil'],
  ['cmd', '/c', 'cmd', '/c', 'cmd', '/c', 'npx', '-y', 'evil'],
  ['cmd', '/c', 'start', '/b', 'npx', '-y', 'evil'],
  ['sh', '-c', 'npx -y evil'],
  ['sh', '-c', 'exec npx -y evil'],
  ['sh', '-c', 'npx -y "evil"'],
  ['sh', '-c', "n'p'x -y ev\\il"],
  ['sh', '-c', 'npx -y evil; true'],
  ['sh', '-c', 'true && npx -y evil 2>/dev/null'],
  ['sh', '-c', 'A=1 B=2 npx -y evil | tee log'],
  ['sh', '-c', 'npx -y \\\n evil'],
  ['sh', '-c', '(npx -y evil)'],
  ['bash', '-l', '-c', 'sh -c "npx -y evil"'],
  ['/bin/bash', '-lc', 'env npx -y evil'],
  ['powershell', '-NoProfile', '-Command', 'npx -y evil'],
  ['env', 'npx', '-y', 'evil'],
  ['/usr/bin/env', '-S', 'npx -y evil'],
  ['env', '-i', 'TOKEN=1', 'npx', '-y', 'evil'],
  ['sudo', '-u', 'root', 'npx', '-y', 'evil'],
  ['nohup', 'nice', '-n', '5', 'timeout', '30s', 'npx', '-y', 'evil'],
  ['sh', '-c', 'eval npx -y evil'],
  ['script', '-qc', 'npx -y evil'],
  ['ionice', '-c', '3', 'npx', '-y', 'evil'],
  ['dotenv', '--', 'npx', '-y', 'evil'],
  ['/usr/local/bin/npx', '-y', 'evil'],
  ['NPX.CMD', '-y', 'evil'],
  ['npx -y evil'],
  ['npx -y', 'evil'],
];

describe('a denied command', () => {
  it.each(WRAPPED_COMMANDS.map((words) => ({ words })))('is found in $words', ({ words }) => {
    expect(said(starts(...words), { denied: [command('npx', '-y', 'evil')] })).toMatch(/^blocked: denied/);
    expect(said(starts(...words), { denied: [command('npx', '-y', 'ev*')] })).toMatch(/^blocked: denied/);
  });

  it('is found in the headers helper of a URL', () => {
    const server = definition({ url: 'https://a.example/', headersHelper: 'npx -y evil --json; npx -y evil' });
    expect(said(server, { denied: [command('npx', '-y', 'evil')] })).toMatch(/^blocked: denied/);
  });

  it('cannot hide behind too many commands, which pass only if no command is denied', () => {
    const server = starts('sh', '-c', Array.from({ length: 200 }, (_, n) => `echo ${n}`).join(';'));
    expect(said(server, { denied: [command('npx', '-y', 'evil')] })).toBe(
      'blocked: denied: its command line starts too many commands to check',
    );
    expect(said(server, { denied: [name('evil')] })).toBe('passes');
  });

  it.each([
    { denied: ['npx', '-y', 'evil'], words: ['npx', '-y', 'evil', '--more'] },
    { denied: ['npx', '-y', 'evil'], words: ['npx', '-y', 'good'] },
    { denied: ['npx', '-y', 'evil'], words: ['echo', 'npx', '-y', 'evil'] },
    { denied: ['node'], words: ['node', 'server.js'] },
    { denied: ['node'], words: ['env', 'node', 'server.js'] },
    { denied: ['server.js'], words: ['env', 'node', 'server.js'] },
    { denied: ['node'], words: ['sh', '-c', 'docker run node'] },
    { denied: ['/opt/evil/npx', '*'], words: ['npx', 'tool'] },
    { denied: ['npx', '*'], words: ['npx', '-y', 'tool'] },
  ])('is not found in unrelated words: $denied in $words', ({ denied, words }) => {
    expect(said(starts(...words), { denied: [command(...denied)] })).toBe('passes');
  });
});

describe('an allowed command', () => {
  it.each(WRAPPED_COMMANDS.slice(1).map((words) => ({ words })))('does not match $words', ({ words }) => {
    expect(said(starts(...words), { allowed: [command('npx', '-y', 'evil')] })).toBe(MISSING);
  });
});

const PROXY = 'https://proxy.example/v2/ccr-sessions/1?mcp_url=';

describe('a URL', () => {
  it.each([
    'https://evil.example/mcp',
    'HTTPS://EVIL.EXAMPLE/mcp',
    'https://evil.example:443/mcp',
    'https://evil.example./mcp',
    'https://good.example@evil.example/mcp',
    'https:\\\\evil.example\\mcp',
    'https://%65vil.example/mcp',
    'https://evil.example/x/../mcp',
    'https://evil.example/mcp/?x=1#y',
    'https://evil.example//mcp',
    'https://evil.example/%6Dcp',
    `${PROXY}${encodeURIComponent('https://evil.example/mcp')}`,
    `${PROXY}${encodeURIComponent(`${PROXY}${encodeURIComponent('https://evil.example/mcp')}`)}`,
  ])('that is denied matches %s', (address) => {
    expect(said(reaches(address), { denied: [url('https://evil.example/mcp')] })).toMatch(/^blocked: denied/);
    expect(said(reaches(address), { denied: [url('*evil.example')] })).toMatch(/^blocked: denied/);
  });

  it.each([
    'https://good.example@evil.example/mcp',
    'https://good.example:x@evil.example/mcp',
    'https://evil.example/https://good.example/mcp',
    'https://evil.example#https://good.example/mcp',
    'https://evil.example\\good.example/mcp',
    'https://good.example.evil.example/mcp',
    'https://evil-good.example/mcp',
    'https://good.example:8443/mcp',
    'http://good.example/mcp',
    '${HOST}/mcp',
    `https://evil.example/v2/ccr-sessions/1?mcp_url=${encodeURIComponent('https://good.example/mcp')}`,
  ])('that is allowed does not match %s', (address) => {
    expect(said(reaches(address), { allowed: [url('https://good.example')] })).toBe(MISSING);
    expect(said(reaches(address), { allowed: [url('https://good.example/*')] })).toBe(MISSING);
  });

  it('of a proxy can be allowed and denied itself', () => {
    const address = `${PROXY}${encodeURIComponent('https://good.example/mcp')}`;
    expect(said(reaches(address), { allowed: [url('https://proxy.example')] })).toMatch(/^passes/);
    expect(said(reaches(address), { denied: [url('https://proxy.example')] })).toMatch(/^blocked/);
  });

  it('with unexpanded references can be denied as written', () => {
    expect(said(reaches('${HOST}/mcp'), { denied: [url('${HOST}/*')] })).toMatch(/^blocked/);
  });
});

describe('parseServerRules', () => {
  const items = (...numbers: number[]) =>
    numbers.map((n) => expect.objectContaining({ source: '/s.json', message: expect.stringContaining(`item ${n} `) }));

  it.each<{ title: string; value: unknown; rules: unknown; problems: unknown }>([
    { title: 'nothing', value: undefined, rules: undefined, problems: [] },
    { title: 'an empty list', value: [], rules: [], problems: [] },
    {
      title: 'one item of each kind, ignoring other fields',
      value: [{ serverName: 'a', note: 'x' }, { serverCommand: ['a', ''] }, { serverUrl: '*' }],
      rules: [{ serverName: 'a' }, { serverCommand: ['a', ''] }, { serverUrl: '*' }],
      problems: [],
    },
    {
      title: 'invalid items',
      value: [{ serverName: 'a', serverUrl: '*' }, {}, 'a', null, { serverCommand: 'npx' }, { serverCommand: [] }],
      rules: [],
      problems: items(1, 2, 3, 4, 5, 6),
    },
    {
      title: 'a valid item after invalid ones',
      value: [{ serverUrl: 7 }, { serverCommand: ['a', 1] }, { serverName: '' }, [], { serverName: 'a' }],
      rules: [{ serverName: 'a' }],
      problems: items(1, 2, 3, 4),
    },
    {
      title: 'a value that is not a list',
      value: { serverName: 'a' },
      rules: undefined,
      problems: [expect.objectContaining({ code: 'invalid-policy', source: '/s.json' })],
    },
  ])('parses $title', ({ value, rules: expected, problems }) => {
    expect(parseServerRules(value, '/s.json')).toEqual({ rules: expected, problems });
  });
});
