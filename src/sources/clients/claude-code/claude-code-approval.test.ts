import { describe, expect, it } from 'vitest';
import { makeMachine } from '../../../../tests/support/machine.js';
import { type Contents, statesOf } from '../../../../tests/support/states-of.js';
import { discover } from '../../../discovery/index.js';

const REPOSITORY_FILE = '<project>/.mcp.json';
const STATE = '~/.claude.json';
const USER = '~/.claude/settings.json';
const PROJECT = '<project>/.claude/settings.json';
const LOCAL = '<project>/.claude/settings.local.json';
const MANAGED = '/etc/claude-code/managed-settings.json';
const DROP_INS = '/etc/claude-code/managed-settings.d';
const TRUSTED = { projects: { '<project>': { hasTrustDialogAccepted: true } } };

const shared = { [REPOSITORY_FILE]: { mcpServers: { s: { command: 's' } } } };
const approved = { enabledMcpjsonServers: ['s'] };
const rejected = { disabledMcpjsonServers: ['s'] };
const all = { enableAllProjectMcpServers: true };

interface Case {
  readonly title: string;
  readonly files: Contents;
  readonly state: string;
}

describe('the approval of servers in .mcp.json', () => {
  it.each<Case>([
    { title: 'there is no approval', files: {}, state: 'pending-approval' },
    {
      title: 'the folder is trusted but the server was never approved',
      files: { [STATE]: TRUSTED },
      state: 'pending-approval',
    },
    {
      title: 'another server was approved',
      files: { [USER]: { enabledMcpjsonServers: ['t'] } },
      state: 'pending-approval',
    },
    { title: 'the user approved it by name', files: { [USER]: approved }, state: 'ready' },
    { title: 'the user approves all', files: { [USER]: all }, state: 'ready' },
    { title: 'the administrator approved it by name', files: { [MANAGED]: approved }, state: 'ready' },
    { title: 'the administrator approves all', files: { [MANAGED]: all }, state: 'ready' },
    {
      title: 'a drop-in of the administrator approves it',
      files: { [`${DROP_INS}/10-x.json`]: approved },
      state: 'ready',
    },
    { title: 'the repository itself approves it by name', files: { [PROJECT]: approved }, state: 'pending-approval' },
    { title: 'the repository itself approves all', files: { [PROJECT]: all }, state: 'pending-approval' },
    {
      title: 'the local settings approve it in an untrusted directory',
      files: { [LOCAL]: approved },
      state: 'pending-approval',
    },
    {
      title: 'the local settings approve all in an untrusted directory',
      files: { [LOCAL]: all },
      state: 'pending-approval',
    },
    {
      title: 'the repository approves it in a trusted directory',
      files: { [PROJECT]: approved, [STATE]: TRUSTED },
      state: 'ready',
    },
    {
      title: 'the local settings approve it in a trusted directory',
      files: { [LOCAL]: approved, [STATE]: TRUSTED },
      state: 'ready',
    },
    {
      title: 'the local settings approve all in a trusted directory',
      files: { [LOCAL]: all, [STATE]: TRUSTED },
      state: 'ready',
    },
    {
      title: 'the user was asked and did not trust the directory',
      files: { [LOCAL]: approved, [STATE]: { projects: { '<project>': { hasTrustDialogAccepted: false } } } },
      state: 'pending-approval',
    },
    {
      title: 'another directory is trusted',
      files: { [LOCAL]: approved, [STATE]: { projects: { '<project>-2': { hasTrustDialogAccepted: true } } } },
      state: 'pending-approval',
    },
    {
      title: 'the repository itself declares that it is trusted',
      files: { [PROJECT]: { ...all, hasTrustDialogAccepted: true, ...TRUSTED } },
      state: 'pending-approval',
    },
    { title: 'the user rejected it', files: { [USER]: rejected }, state: 'rejected' },
    {
      title: 'the repository rejects it, trusted or not',
      files: { [PROJECT]: rejected, [USER]: all },
      state: 'rejected',
    },
    {
      title: 'the local settings reject what the user approved',
      files: { [LOCAL]: rejected, [USER]: approved },
      state: 'rejected',
    },
    { title: 'the administrator rejects it', files: { [MANAGED]: rejected, [USER]: approved }, state: 'rejected' },
    {
      title: 'the user rejects what the administrator approves',
      files: { [MANAGED]: approved, [USER]: rejected },
      state: 'rejected',
    },
    {
      title: 'one file both approves and rejects it',
      files: { [USER]: { ...approved, ...rejected } },
      state: 'rejected',
    },
    {
      title: 'a list of approvals is not an array',
      files: { [USER]: { enabledMcpjsonServers: 's' } },
      state: 'pending-approval',
    },
    {
      title: 'all are approved by a string and not by true',
      files: { [USER]: { enableAllProjectMcpServers: 'yes' } },
      state: 'pending-approval',
    },
  ])('is $state when $title', async ({ files, state }) => {
    expect((await statesOf('claude-code', { ...shared, ...files })).states).toEqual({ s: state });
  });

  it('is not needed outside .mcp.json', async () => {
    const own = {
      mcpServers: { u: { command: 'u' } },
      projects: { '<project>': { mcpServers: { l: { command: 'l' } } } },
    };
    const files = { [STATE]: own, [USER]: { disabledMcpjsonServers: ['u', 'l'] } };
    expect((await statesOf('claude-code', files)).states).toEqual({ u: 'ready', l: 'ready' });
  });

  it.each([
    { title: 'forward slashes and a lower-case drive letter', key: (path: string) => `c:${path}` },
    { title: 'backslashes and an upper-case drive letter', key: (path: string) => `C:${path.replaceAll('/', '\\')}` },
    { title: 'different case', key: (path: string) => `C:${path.toUpperCase()}` },
    { title: 'a slash at the end', key: (path: string) => `${path}/` },
  ])('knows a trusted folder on Windows by $title', async ({ key }) => {
    using machine = makeMachine();
    const trusted = { projects: { [key(machine.project)]: { hasTrustDialogAccepted: true } } };
    const files = { ...shared, [LOCAL]: approved, [STATE]: trusted };
    machine.write(Object.fromEntries(Object.entries(files).map(([path, value]) => [path, JSON.stringify(value)])));
    const { definitions } = await discover(machine.options({ platform: 'win32', clients: ['claude-code'] }));
    expect(definitions).toMatchObject([{ name: 's', state: 'ready' }]);
  });

  it('uses the more cautious of two records of one directory', async () => {
    const projects = {
      '<project>': { hasTrustDialogAccepted: true },
      'C:<project>': { hasTrustDialogAccepted: false },
    };
    const files = { ...shared, [LOCAL]: approved, [STATE]: { projects } };
    expect((await statesOf('claude-code', files, { platform: 'win32' })).states).toEqual({ s: 'pending-approval' });
  });
});
