import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseText } from '../../src/sources/formats/index.js';
import { environment, portolan, StdioClient } from '../support/client-over-stdio.js';
import { CLIENT_FILES, fourteenServers, TWICE } from '../support/fourteen-servers.js';
import { type Machine, makeMachine } from '../support/machine.js';

// `npm run clients` does the same with clients from npm.
const CLIENTS = ['cursor', 'vscode', 'claude-desktop'] as const;
const fileOf = (client: string) => CLIENT_FILES[client]?.file ?? '';
const read = (machine: Machine, client: string) => readFileSync(machine.path(fileOf(client)), 'utf8');

async function entriesIn(machine: Machine, client: string): Promise<Record<string, never>> {
  const parsed = await parseText(read(machine, client), 'json');
  if (parsed.kind !== 'parsed') throw new Error(parsed.message);
  const { servers, mcpServers } = Object(parsed.document.value);
  return servers ?? mcpServers;
}

/** The servers of a scan, without what a take-over is meant to change. */
async function listed(machine: Machine) {
  const { stdout } = await portolan(machine, ['list', '--json']);
  const { servers } = JSON.parse(stdout);
  return {
    servers: servers.map(({ name, alias, state, transport }: Record<string, string>) => [
      name,
      alias,
      state,
      transport,
    ]),
    startedBy: [...new Set(servers.flatMap(({ startedBy = [] }: { startedBy?: string[] }) => startedBy))],
  };
}

it('takes over fourteen servers of Cursor, VS Code and Claude Desktop, serves them, and restores every byte', async () => {
  using machine = makeMachine();
  const entries = fourteenServers(machine.project, 'http://127.0.0.1:9/mcp');
  expect(Object.keys(entries)).toHaveLength(14);
  const texts = Object.fromEntries(CLIENTS.map((client) => [client, CLIENT_FILES[client]?.text(entries) ?? '']));
  for (const client of CLIENTS) machine.write({ [fileOf(client)]: texts[client] ?? '' });
  chmodSync(machine.path(fileOf('cursor')), 0o600);
  const before = await listed(machine);
  expect(before.servers.map(([name]: string[]) => name).toSorted()).toEqual(
    Object.keys(entries)
      .filter((name) => !Object.values(TWICE).includes(name))
      .toSorted(),
  );
  expect(before.startedBy.toSorted()).toEqual([...CLIENTS].toSorted());

  const { status, stdout } = await portolan(machine, ['install', '--yes', '--json']);
  const done = JSON.parse(stdout);
  expect([status, done.failed]).toEqual([0, []]);
  expect(Object.fromEntries(done.clients.map((one: never) => summary(one)))).toEqual({
    cursor: [14, 'works'],
    vscode: [14, 'works'],
    'claude-desktop': [13, 'works'],
  });
  expect(await listed(machine)).toEqual({ servers: before.servers, startedBy: [] });
  for (const client of CLIENTS) {
    const [[name, { command, args }] = ['', { command: '', args: [] }], ...others] = Object.entries<{
      command: string;
      args: string[];
    }>(await entriesIn(machine, client));
    expect([client, name, others]).toEqual([client, 'portolan', []]);
    // As a client that was started from the desktop starts it.
    await using session = new StdioClient({
      command,
      args,
      cwd: machine.home,
      env: environment(machine, { PATH: '' }),
    });
    await session.initialize(client);
    const { tools } = await session.request('tools/list');
    expect(tools).toHaveLength(6);
    if (client !== 'cursor') continue;
    const { servers } = await session.ask('list_mcp_servers');
    expect(servers.map(({ name: one }: { name: string }) => one).toSorted()).toEqual(
      before.servers.map(([one]: string[]) => one).toSorted(),
    );
    const { structuredContent } = await session.execute('slow', 'read_graph', {});
    expect(structuredContent).toEqual({ entities: expect.any(Array), relations: expect.any(Array) });
  }

  for (const client of CLIENTS) {
    const { stdout: undone } = await portolan(machine, ['install', client, '--undo', '--json']);
    expect(JSON.parse(undone).undone).toMatchObject([{ exact: true }]);
    expect(read(machine, client)).toBe(texts[client]);
    for (const own of ['original', 'record', 'backup'])
      expect(existsSync(machine.path(`${fileOf(client)}.portolan-${own}`))).toBe(false);
  }
  if (process.platform !== 'win32') expect(statSync(machine.path(fileOf('cursor'))).mode & 0o777).toBe(0o600);
  expect(await listed(machine)).toEqual(before);
});

function summary({
  client,
  takenOver,
  verification,
}: {
  readonly client: string;
  readonly takenOver: readonly { readonly servers: readonly unknown[] }[];
  readonly verification: { readonly kind: string };
}) {
  return [client, [takenOver[0]?.servers.length, verification.kind]];
}
