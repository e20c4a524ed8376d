import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Discovery, scanMachine, toRecord } from '../../src/discovery/index.js';
import { questionAbout, recordRuling, writeLock } from '../../src/use-cases/index.js';
import { configure, portolan } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

const FILE = '<project>/.cursor/mcp.json';
const NOW = new Date('2026-01-02T03:04:05Z');
const SERVER_URL = 'https://host.example/mcp';
const OAUTH = { grantType: 'client_credentials', CLIENT_ID: 'c', CLIENT_SECRET: '${env:SECRET}', scopes: ['a', 'b'] };

function scan(machine: Machine, env: Readonly<Record<string, string>> = { SECRET: 's-1' }): Promise<Discovery> {
  return scanMachine(machine.options({ clients: ['cursor'], env }));
}

function write(machine: Machine, auth?: object): void {
  machine.write({ [FILE]: JSON.stringify({ mcpServers: { own: { url: SERVER_URL, ...(auth && { auth }) } } }) });
}

async function question(machine: Machine, env?: Readonly<Record<string, string>>) {
  const discovery = await scan(machine, env);
  const [server] = discovery.servers;
  if (!server) throw new Error('there is no server');
  return { discovery, ...questionAbout(server, discovery) };
}

async function approve(machine: Machine): Promise<void> {
  const { discovery, server } = await question(machine);
  await recordRuling([server.definition], 'approved', discovery, NOW);
}

describe('the OAuth settings of an entry', () => {
  it('are shown before the approval, with secrets masked', async () => {
    using machine = makeMachine();
    write(machine, { ...OAUTH, privateKeyFile: '~/.ssh/id' });
    expect((await question(machine)).launchDetails).toEqual([
      [
        'sign-in',
        'grantType=client_credentials CLIENT_ID=c CLIENT_SECRET=[secret] scopes=a,b privateKeyFile="~/.ssh/id"',
      ],
    ]);
  });

  it.each([
    { title: 'the issuer', auth: { ...OAUTH, issuer: 'https://evil.example' } },
    { title: 'the client secret', auth: { ...OAUTH, CLIENT_SECRET: '${env:OTHER}' } },
    { title: 'the scopes', auth: { ...OAUTH, scopes: ['a', 'b', 'c'] } },
    { title: 'all of them', auth: undefined },
  ])('need a new approval after a repository changes $title', async ({ auth }) => {
    using machine = makeMachine();
    write(machine, OAUTH);
    await approve(machine);
    const env = { SECRET: 's-1', OTHER: 's-2' };
    expect((await scan(machine, env)).servers.map(toRecord)[0]?.state).toBe('ready');
    write(machine, auth);
    const { server, because, changes } = await question(machine, env);
    expect([toRecord(server).state, because, changes]).toEqual([
      'pending-approval',
      'changed',
      [expect.stringMatching(/^oauth: \{.*\} → /)],
    ]);
  });

  it('need a new approval if the value of a secret changes, without showing either value', async () => {
    using machine = makeMachine();
    write(machine, OAUTH);
    await approve(machine);
    const { server, changes } = await question(machine, { SECRET: 's-2' });
    expect([toRecord(server).state, changes]).toEqual([
      'pending-approval',
      ['the value of a secret or of a variable it refers to'],
    ]);
  });

  it('stay approved if only their order changes', async () => {
    using machine = makeMachine();
    write(machine, OAUTH);
    await approve(machine);
    write(machine, Object.fromEntries(Object.entries(OAUTH).reverse()));
    expect((await scan(machine)).servers.map(toRecord)[0]?.state).toBe('ready');
  });

  it('are written to the lock file without expansion', async () => {
    using machine = makeMachine();
    write(machine, OAUTH);
    await approve(machine);
    const written = async (env: Readonly<Record<string, string>>) => {
      const { lock } = await scan(machine, env);
      await writeLock(await scan(machine));
      return JSON.parse(readFileSync(lock.path, 'utf8')).servers.own;
    };
    const mine = await written({ SECRET: 's-1' });
    expect(mine.entry).toEqual({ url: SERVER_URL, oauth: OAUTH });
    expect(JSON.stringify(mine)).not.toContain('s-1');
    const { because } = await question(machine, { SECRET: 's-2' });
    expect(because).toBe('reviewed');
  });

  it('are imported without expansion, with references in the syntax of Portolan', async () => {
    using machine = makeMachine();
    configure(machine, { own: { url: SERVER_URL, auth: OAUTH } });
    await portolan(machine, ['import', 'cursor'], { SECRET: 's-1' });
    const { mcpServers } = JSON.parse(readFileSync(`${machine.home}/.config/portolan/servers.json`, 'utf8'));
    expect(mcpServers.own.oauth).toEqual({ ...OAUTH, CLIENT_SECRET: '${SECRET}' });
  });

  it('list a missing variable', async () => {
    using machine = makeMachine();
    write(machine, OAUTH);
    const { server, discovery } = await question(machine, {});
    expect(server.definition.missing).toEqual(['SECRET']);
    expect(discovery.problems.map(({ code }) => code)).toContain('missing-variable');
  });
});
