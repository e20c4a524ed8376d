import { describe, expect, it } from 'vitest';
import { type Contents, statesOf } from '../../../../tests/support/states-of.js';

const USER = '~/.claude/settings.json';
const PROJECT = '<project>/.claude/settings.json';
const LOCAL = '<project>/.claude/settings.local.json';
const MANAGED = '/etc/claude-code/managed-settings.json';
const DROP_INS = '/etc/claude-code/managed-settings.d';

const SERVERS = {
  local: { command: 'npx', args: ['-y', 'tool'] },
  remote: { type: 'http', url: 'https://api.example.com/mcp' },
};
const STATE = { '~/.claude.json': { mcpServers: SERVERS } };

const allow = (...rules: unknown[]) => ({ allowedMcpServers: rules });
const deny = (...rules: unknown[]) => ({ deniedMcpServers: rules });
const name = (serverName: string) => ({ serverName });
const url = (serverUrl: string) => ({ serverUrl });
const command = (...serverCommand: string[]) => ({ serverCommand });

/** The servers that are allowed: `local` starts a program, `remote` has a URL. */
type Through = readonly ('local' | 'remote')[];
interface Case {
  readonly title: string;
  readonly files: Contents;
  readonly through: Through;
  readonly env?: Readonly<Record<string, string>>;
}

async function through(files: Contents, env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const { states } = await statesOf('claude-code', { ...STATE, ...files }, { env });
  expect(Object.values(states).filter((state) => state !== 'ready' && state !== 'blocked-by-policy')).toEqual([]);
  return Object.keys(states).filter((key) => states[key] === 'ready');
}

describe('the allow and deny lists of Claude Code', () => {
  it.each<Case>([
    { title: 'no list at all', files: {}, through: ['local', 'remote'] },
    { title: 'an empty deny list', files: { [MANAGED]: deny() }, through: ['local', 'remote'] },
    { title: 'an empty allow list', files: { [MANAGED]: allow() }, through: [] },
    { title: 'an empty allow list of the user', files: { [USER]: allow() }, through: [] },
    {
      title: 'an allow list that is not an array',
      files: { [MANAGED]: { allowedMcpServers: null } },
      through: ['local', 'remote'],
    },
    { title: 'allowed names', files: { [MANAGED]: allow(name('local'), name('other')) }, through: ['local'] },
    { title: 'a name in another case', files: { [MANAGED]: allow(name('Local')) }, through: [] },
    { title: 'a name with a star', files: { [MANAGED]: allow(name('*')) }, through: [] },
    { title: 'a denied name', files: { [MANAGED]: deny(name('local')) }, through: ['remote'] },
    {
      title: 'a name both allowed and denied',
      files: { [MANAGED]: { ...allow(name('local'), name('remote')), ...deny(name('local')) } },
      through: ['remote'],
    },
    { title: 'an exact command', files: { [MANAGED]: allow(command('npx', '-y', 'tool')) }, through: ['local'] },
    { title: 'a command with fewer words', files: { [MANAGED]: allow(command('npx', '-y')) }, through: [] },
    { title: 'a command with more words', files: { [MANAGED]: allow(command('npx', '-y', 'tool', 'x')) }, through: [] },
    { title: 'a command in other order', files: { [MANAGED]: allow(command('npx', 'tool', '-y')) }, through: [] },
    { title: 'a command with a star', files: { [MANAGED]: allow(command('npx', '*', 'tool')) }, through: [] },
    { title: 'a denied command', files: { [MANAGED]: deny(command('npx', '-y', 'tool')) }, through: ['remote'] },
    { title: 'an allowed URL', files: { [MANAGED]: allow(url('https://*.example.com/*')) }, through: ['remote'] },
    { title: 'a denied URL', files: { [MANAGED]: deny(url('*://*.example.com/*')) }, through: ['local'] },
    {
      title: 'names beside a command, which alone applies to programs',
      files: { [MANAGED]: allow(name('local'), name('remote'), command('other')) },
      through: ['remote'],
    },
    {
      title: 'names beside a URL, which alone applies to URLs',
      files: { [MANAGED]: allow(name('local'), name('remote'), url('https://other.example/*')) },
      through: ['local'],
    },
    {
      title: 'a denied name beside a denied URL',
      files: { [MANAGED]: deny(name('local'), url('https://other/*')) },
      through: ['remote'],
    },
    {
      title: 'rules with two fields, no field or invalid content, which are dropped individually',
      files: {
        [MANAGED]: allow(
          name('local'),
          { ...name('remote'), ...url('https://*') },
          {},
          'remote',
          null,
          { serverCommand: 'npx' },
          command(),
          {
            serverUrl: 7,
          },
        ),
      },
      through: ['local'],
    },
    {
      title: 'lists of several files, which are merged',
      files: { [USER]: allow(name('local')), [MANAGED]: allow(name('remote')) },
      through: ['local', 'remote'],
    },
    {
      title: 'a stricter kind in another file',
      files: { [USER]: allow(name('local')), [MANAGED]: allow(command('x')) },
      through: [],
    },
    {
      title: 'a deny list in the repository',
      files: { [PROJECT]: deny(name('local')), [LOCAL]: deny(name('remote')) },
      through: [],
    },
    {
      title: 'only the managed list if the administrator requires it',
      files: {
        [USER]: allow(name('local')),
        [MANAGED]: { ...allow(name('remote')), allowManagedMcpServersOnly: true },
      },
      through: ['remote'],
    },
    {
      title: 'no managed list if only that one applies',
      files: { [USER]: allow(name('local')), [MANAGED]: { allowManagedMcpServersOnly: true } },
      through: ['local', 'remote'],
    },
    {
      title: 'all deny lists even then',
      files: {
        [USER]: deny(name('remote')),
        [MANAGED]: { ...allow(name('remote')), allowManagedMcpServersOnly: true },
      },
      through: [],
    },
    {
      title: 'a user who requests only the managed list, which is ignored',
      files: { [USER]: { ...allow(name('local')), allowManagedMcpServersOnly: true } },
      through: ['local'],
    },
    {
      title: 'lists of drop-ins, which are merged',
      files: { [MANAGED]: allow(name('local')), [`${DROP_INS}/20-b.json`]: allow(name('remote')) },
      through: ['local', 'remote'],
    },
    {
      title: 'drop-ins in the order of their names, where the last one wins',
      files: {
        [USER]: allow(name('local')),
        [MANAGED]: allow(name('remote')),
        [`${DROP_INS}/10-a.json`]: { allowManagedMcpServersOnly: true },
        [`${DROP_INS}/20-b.json`]: { allowManagedMcpServersOnly: false },
        [`${DROP_INS}/.30-hidden.json`]: { allowManagedMcpServersOnly: true },
        [`${DROP_INS}/40-notes.txt`]: '{"allowManagedMcpServersOnly":true}',
      },
      through: ['local', 'remote'],
    },
    {
      title: 'variables in a command',
      files: { [MANAGED]: allow(command('npx', '-y', '${TOOL}')) },
      env: { TOOL: 'tool' },
      through: ['local'],
    },
    {
      title: 'a variable of the administrator, which overrides that of the user',
      files: { [MANAGED]: { ...allow(url('https://${SUB:-x}.example.com/*')), env: { SUB: 'api' } } },
      env: { SUB: 'other' },
      through: ['remote'],
    },
    {
      title: 'a variable that would decide which kind of URL is allowed',
      files: { [MANAGED]: allow(url('${ANY}')) },
      env: { ANY: 'https://*' },
      through: [],
    },
    {
      title: 'the same variable in a deny list',
      files: { [MANAGED]: deny(url('${ANY}')) },
      env: { ANY: 'https://*' },
      through: ['local'],
    },
  ])('let through $through for $title', async ({ files, through: expected, env }) => {
    expect(await through(files, env)).toEqual(expected);
  });

  it('compare the expanded values of a server', async () => {
    const servers = { s: { type: 'http', url: 'https://${SITE}/mcp' } };
    const files = { '~/.claude.json': { mcpServers: servers }, [MANAGED]: allow(url('https://good.example/*')) };
    expect((await statesOf('claude-code', files, { env: { SITE: 'good.example' } })).states).toEqual({ s: 'ready' });
    expect((await statesOf('claude-code', files, { env: { SITE: 'bad.example' } })).states).toEqual({
      s: 'blocked-by-policy',
    });
  });

  it('allow a server of an editor by default, and deny it by name', async () => {
    const ide = { type: 'ws-ide', url: 'ws://127.0.0.1:1234', ideName: 'Editor' };
    const files = { '~/.claude.json': { mcpServers: { ide } } };
    const managed = async (settings: unknown) =>
      (await statesOf('claude-code', { ...files, [MANAGED]: settings })).states;
    expect(await managed(allow())).toEqual({ ide: 'ready' });
    expect(await managed(deny(name('ide')))).toEqual({ ide: 'blocked-by-policy' });
    const brought = { '<project>/.mcp.json': { mcpServers: { ide } }, [USER]: { enableAllProjectMcpServers: true } };
    expect((await statesOf('claude-code', { ...brought, [MANAGED]: allow() })).states).toEqual({
      ide: 'blocked-by-policy',
    });
  });
});
