import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Discovery, scanMachine, toRecord } from '../../src/discovery/index.js';
import { explain, pendingQuestions, recordRuling, writeLock } from '../../src/use-cases/index.js';
import { type Machine, makeMachine } from '../support/machine.js';

const FILE = '<project>/.cursor/mcp.json';
const ENTRY = {
  command: 'node',
  args: ['server.js', '--port', '1'],
  env: { LEVEL: 'info', TOKEN: '${env:TOKEN}' },
  cwd: '/srv/a',
};
const REMOTE = { url: 'https://host.example/mcp', headers: { 'X-Team': 'a' } };

const NOW = new Date('2026-01-02T03:04:05Z');

function scan(machine: Machine, env: Readonly<Record<string, string>> = { TOKEN: 't-1' }): Promise<Discovery> {
  return scanMachine(machine.options({ clients: ['cursor', 'mcps-dir', 'claude-code'], env }));
}

function write(machine: Machine, entry: object, name = 'own'): void {
  machine.write({ [FILE]: JSON.stringify({ mcpServers: { [name]: entry } }) });
}

async function decide(
  machine: Machine,
  verdict: 'approved' | 'denied',
  env?: Readonly<Record<string, string>>,
): Promise<void> {
  const discovery = await scan(machine, env);
  const [server] = discovery.servers;
  if (!server) throw new Error('there is no server to approve or deny');
  await recordRuling([server.definition], verdict, discovery, NOW);
}

const stateIn = async (machine: Machine, env?: Readonly<Record<string, string>>) =>
  (await scan(machine, env)).servers.map(toRecord)[0]?.state;

describe('approval', () => {
  it('is required for servers of a repository, and not for those of the user', async () => {
    using machine = makeMachine();
    write(machine, ENTRY);
    machine.write({ '~/MCPs/mine.json': '{"mcpServers":{"mine":{"command":"node","args":["mine.js"]}}}' });
    const { servers } = await scan(machine);
    expect(servers.map(toRecord).map(({ name, state }) => ({ name, state }))).toEqual([
      { name: 'mine', state: 'ready' },
      { name: 'own', state: 'pending-approval' },
    ]);
  });

  it('cannot be given by the repository itself', async () => {
    using machine = makeMachine();
    machine.write({
      '<project>/.mcp.json': JSON.stringify({ mcpServers: { evil: { command: 'evil' } } }),
      '<project>/.claude/settings.json': JSON.stringify({ enableAllProjectMcpServers: true }),
      '<project>/.claude/settings.local.json': JSON.stringify({ enabledMcpjsonServers: ['evil'] }),
      '<project>/approvals.json': '{}',
      '<project>/.config/portolan/approvals.json': '{"version":1,"rulings":{}}',
    });
    const { servers } = await scan(machine);
    expect(servers.map(toRecord).map(({ state }) => state)).toEqual(['pending-approval']);
  });

  it('is not derived from the approval of another client', async () => {
    using machine = makeMachine();
    machine.write({
      '<project>/.mcp.json': JSON.stringify({ mcpServers: { own: { command: 'node' } } }),
      '~/.claude/settings.json': JSON.stringify({ enableAllProjectMcpServers: true }),
    });
    const { definitions, servers } = await scan(machine);
    expect(definitions[0]?.state).toBe('ready');
    expect(servers.map(toRecord)[0]?.state).toBe('pending-approval');
  });

  it.each([
    { field: 'command', entry: { ...ENTRY, command: 'node2' } },
    { field: 'args', entry: { ...ENTRY, args: ['server.js', '--port', '2'] } },
    { field: 'the order of args', entry: { ...ENTRY, args: ['--port', 'server.js', '1'] } },
    { field: 'the value in env', entry: { ...ENTRY, env: { ...ENTRY.env, LEVEL: 'debug' } } },
    { field: 'the names in env', entry: { ...ENTRY, env: { ...ENTRY.env, MORE: '' } } },
    { field: 'cwd', entry: { ...ENTRY, cwd: '/srv/b' } },
    { field: 'envFile', entry: { ...ENTRY, envFile: '.env' } },
    { field: 'everything: a URL instead of a command', entry: REMOTE },
  ])('is bound to content: a change of $field requires a new approval', { tags: 'S13' }, async ({ entry }) => {
    using machine = makeMachine();
    write(machine, ENTRY);
    await decide(machine, 'approved');
    expect(await stateIn(machine)).toBe('ready');
    write(machine, entry);
    expect(await stateIn(machine)).toBe('pending-approval');
    write(machine, ENTRY);
    expect(await stateIn(machine)).toBe('ready');
  });

  it.each([
    { field: 'url', entry: { ...REMOTE, url: 'https://host.example/mcp2' } },
    { field: 'headers', entry: { ...REMOTE, headers: { 'X-Team': 'b' } } },
  ])(
    'is bound to content: a change of $field of a remote server requires a new approval',
    { tags: 'S13' },
    async ({ entry }) => {
      using machine = makeMachine();
      write(machine, REMOTE);
      await decide(machine, 'approved');
      expect(await stateIn(machine)).toBe('ready');
      write(machine, entry);
      expect(await stateIn(machine)).toBe('pending-approval');
    },
  );

  it('is bound to the values of references, which are not in the file', { tags: 'S13' }, async () => {
    using machine = makeMachine();
    write(machine, ENTRY);
    await decide(machine, 'approved', { TOKEN: 'canary-one' });
    expect(await stateIn(machine, { TOKEN: 'canary-one' })).toBe('ready');
    expect(await stateIn(machine, { TOKEN: 'canary-two' })).toBe('pending-approval');
    const text = readFileSync(machine.path('~/.config/portolan/approvals.json'), 'utf8');
    expect(text).not.toContain('canary');
    expect(text).toContain('${env:TOKEN}');
  });

  it('is never bound to a name: another server with the same name requires its own approval', async () => {
    using machine = makeMachine();
    write(machine, ENTRY, 'trusted');
    await decide(machine, 'approved');
    write(machine, { command: 'evil' }, 'trusted');
    expect(await stateIn(machine)).toBe('pending-approval');
  });

  it('shows what changed and which definitions would be shadowed', async () => {
    using machine = makeMachine();
    machine.write({ '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { own: { command: 'mine' } } }) });
    write(machine, ENTRY);
    const first = await scan(machine);
    expect(pendingQuestions(first)).toMatchObject([
      { because: 'new', changes: [], shadows: [expect.stringContaining('cursor user')] },
    ]);
    await decide(machine, 'approved');
    write(machine, { ...ENTRY, command: 'python' });
    const discovery = await scan(machine);
    expect(pendingQuestions(discovery)).toMatchObject([
      { because: 'changed', changes: ['command: "node" → "python"'] },
    ]);
    expect(explain(discovery, 'own')).toMatchObject({ changes: ['command: "node" → "python"'] });
  });

  it('can be denied until the content changes; the denied server then shadows no other', async () => {
    using machine = makeMachine();
    write(machine, ENTRY);
    await decide(machine, 'denied');
    expect(await stateIn(machine)).toBe('rejected');
    write(machine, { ...ENTRY, command: 'other' });
    expect(await stateIn(machine)).toBe('pending-approval');
    write(machine, ENTRY);
    machine.write({ '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { own: { command: 'mine' } } }) });
    expect((await scan(machine)).servers.map(toRecord)).toMatchObject([
      { name: 'own', command: 'mine', state: 'ready' },
    ]);
  });

  it('is stored in files that other users cannot read', async () => {
    using machine = makeMachine();
    write(machine, ENTRY);
    await decide(machine, 'approved');
    const modes = ['approvals.json', 'approvals.key'].map(
      (name) => statSync(machine.path(`~/.config/portolan/${name}`)).mode & 0o777,
    );
    expect(modes).toEqual([0o600, 0o600]);
  });

  it.each([
    { title: 'is not JSON', files: { '~/.config/portolan/approvals.json': '{' } },
    { title: 'has no key', files: { '~/.config/portolan/approvals.key': '' } },
  ])('is not read from a file that $title, which is a problem', async ({ files }) => {
    using machine = makeMachine();
    write(machine, ENTRY);
    await decide(machine, 'approved');
    machine.write(files);
    const { servers, problems } = await scan(machine);
    expect(servers.map(toRecord)[0]?.state).toBe('pending-approval');
    expect(problems).toMatchObject([{ code: 'approvals-unusable', severity: 'error' }]);
  });
});

describe('the lock file', () => {
  it('pins reviewed servers, matches for every teammate, and approves nothing by itself', async () => {
    using machine = makeMachine();
    write(machine, { ...ENTRY, env: { ...ENTRY.env, API_KEY: 'literal-secret' } });
    await decide(machine, 'approved', { TOKEN: 'mine' });
    const { path } = await writeLock(await scan(machine, { TOKEN: 'mine' }));
    const lock = readFileSync(path, 'utf8');
    expect(lock).not.toContain('literal-secret');
    expect(lock).toContain('API_KEY');

    using teammate = makeMachine();
    write(teammate, { ...ENTRY, env: { ...ENTRY.env, API_KEY: 'literal-secret' } });
    teammate.write({ '<project>/portolan.lock.json': lock });
    const discovery = await scan(teammate, { TOKEN: 'theirs' });
    expect(discovery.servers.map(toRecord)[0]?.state).toBe('pending-approval');
    expect(pendingQuestions(discovery)).toMatchObject([{ because: 'reviewed' }]);
    write(teammate, { ...ENTRY, command: 'other' });
    expect(pendingQuestions(await scan(teammate))).toMatchObject([{ because: 'new' }]);
  });

  it('with a syntax error is a problem without other effects', async () => {
    using machine = makeMachine();
    write(machine, ENTRY);
    machine.write({ '<project>/portolan.lock.json': '[' });
    const { servers, problems } = await scan(machine);
    expect(servers.map(toRecord)[0]?.state).toBe('pending-approval');
    expect(problems).toMatchObject([{ code: 'lock-unusable', severity: 'warning' }]);
  });
});
