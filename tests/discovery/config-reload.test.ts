import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  configure,
  connect,
  fixture,
  isAlive,
  PROGRAM,
  type StdioClient,
  startsIn,
  until,
} from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

const CURSOR = '~/.cursor/mcp.json';
const SETTINGS = '~/.config/portolan/portolan.config.json';
const LIST_CHANGED = 'notifications/tools/list_changed';

const namesOf = async (client: StdioClient): Promise<string[]> =>
  (await client.ask('list_mcp_servers')).servers.map(({ name }: { name: string }) => name);
const servers = (...names: string[]) => Object.fromEntries(names.map((name) => [name, fixture([name])]));
const untilServersAre = (client: StdioClient, expected: readonly string[]) =>
  until(
    () => namesOf(client),
    (names) => JSON.stringify(names) === JSON.stringify(expected),
  );

describe('watched files', () => {
  it('add and remove servers without a restart, and the client is notified', async () => {
    using machine = makeMachine();
    configure(machine, servers('one'));
    await using client = await connect(machine);
    expect(await namesOf(client)).toEqual(['one']);

    configure(machine, servers('one', 'two'));
    await untilServersAre(client, ['one', 'two']);
    expect(await client.execute('two', 'echo', { text: 'new' })).toMatchObject({ content: [{ text: 'new' }] });
    expect(JSON.stringify(await client.request('tools/list'))).toContain('one, two');
    expect(client.notifications.map(({ method }) => method)).toEqual([LIST_CHANGED]);

    configure(machine, servers('two'));
    await untilServersAre(client, ['two']);
    expect(await client.execute('one', 'echo', { text: 'old' })).toMatchObject({
      structuredContent: { error: { code: 'SERVER_NOT_FOUND' } },
    });
    expect(client.notifications.map(({ method }) => method)).toEqual([LIST_CHANGED, LIST_CHANGED]);
  });

  it.each([
    { title: 'created together with their directory', change: (path: string, text: string) => write(path, text) },
    {
      title: 'replaced by a rename',
      change: (path: string, text: string) => {
        write(`${path}.new`, text);
        renameSync(`${path}.new`, path);
      },
    },
  ])('are read when they are $title', async ({ change }) => {
    using machine = makeMachine();
    await using client = await connect(machine);
    expect(await namesOf(client)).toEqual([]);
    change(machine.path(CURSOR), JSON.stringify({ mcpServers: servers('late') }));
    await untilServersAre(client, ['late']);
    rmSync(machine.path(CURSOR));
    await untilServersAre(client, []);
  });

  it('keep their servers while they have a syntax error', async () => {
    using machine = makeMachine();
    configure(machine, servers('one'));
    machine.write({ '~/.gemini/settings.json': JSON.stringify({ mcpServers: servers('other') }) });
    await using client = await connect(machine);
    const before = await namesOf(client);
    machine.write({ [CURSOR]: '{"mcpServers": {"one": {"comm', '~/.gemini/settings.json': '{"mcpServers":{}}' });
    // The change of the other file shows that both have been read again.
    await untilServersAre(client, ['one']);
    expect(before.toSorted()).toEqual(['one', 'other']);
    expect(await client.execute('one', 'echo', { text: 'still' })).toMatchObject({ content: [{ text: 'still' }] });
    configure(machine, servers('fixed'));
    await untilServersAre(client, ['fixed']);
  });

  it('with invalid settings are reported, and the previous settings stay in force', async () => {
    using machine = makeMachine();
    configure(machine, servers('one', 'two'), {});
    await using client = await connect(machine);
    machine.write({ [SETTINGS]: '{"cache": 7}' });
    await until(
      () => client.stderr,
      (stderr) => stderr.includes('the previous one stays in force'),
    );
    expect(await namesOf(client)).toEqual(['one', 'two']);
    machine.write({ [SETTINGS]: '{"deniedMcpServers":[{"serverName":"two"}]}' });
    await until(
      () => client.ask('list_mcp_servers'),
      (answer) => answer.servers[1].status === 'blocked-by-policy',
    );
  });

  it('do not end the gateway after an unexpected error while they are read', async () => {
    using machine = makeMachine();
    configure(machine, servers('one'), {});
    // The error parser is a lazy chunk next to the program, and missing after an update replaced the program.
    const copy = join(machine.root, 'portolan');
    cpSync(dirname(PROGRAM), copy, { recursive: true });
    symlinkSync(join(dirname(PROGRAM), '../node_modules'), join(machine.root, 'node_modules'));
    await using client = await connect(machine, { program: join(copy, basename(PROGRAM)) });
    expect(await client.execute('one', 'echo', { text: 'before' })).toMatchObject({ content: [{ text: 'before' }] });
    rmSync(copy, { recursive: true });
    machine.write({ [SETTINGS]: '{"cache": ' });
    await until(
      () => client.stderr,
      (stderr) => stderr.includes('the previous one stays in force'),
    );
    expect(await client.execute('one', 'echo', { text: 'still' })).toMatchObject({ content: [{ text: 'still' }] });
  });

  it('do not affect the process and running calls of an unchanged server', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    const finish = machine.path('~/finish');
    const one = { one: fixture(['one', '--starts', starts, '--until', finish]) };
    configure(machine, one);
    await using client = await connect(machine);
    await client.ask('list_tools', { server: 'one' });
    const call = client.execute('one', 'sleep', { ms: 1 });
    configure(machine, { ...one, ...servers('two') });
    await untilServersAre(client, ['one', 'two']);
    writeFileSync(finish, '');
    expect(await call).toMatchObject({ content: [{ text: 'slept 1' }] });
    expect(startsIn(starts)).toHaveLength(1);
  });

  it('end the process of a removed server after its last call', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    const finish = machine.path('~/finish');
    configure(machine, { one: fixture(['one', '--starts', starts, '--until', finish]) });
    await using client = await connect(machine);
    await client.ask('list_tools', { server: 'one' });
    const call = client.execute('one', 'sleep', { ms: 1 });
    configure(machine, {});
    await untilServersAre(client, []);
    writeFileSync(finish, '');
    expect(await call).toMatchObject({ content: [{ text: 'slept 1' }] });
    await until(
      () => startsIn(starts).filter(isAlive),
      (alive) => alive.length === 0,
    );
  });

  it('let a failed server start immediately after its entry was corrected', async () => {
    using machine = makeMachine();
    configure(machine, { one: fixture(['--dies', 'typo']) });
    await using client = await connect(machine);
    await until(
      () => client.ask('search_tools', { query: 'echo' }),
      ({ failed }) => failed?.length === 1,
    );
    configure(machine, servers('one'));
    await until(
      () => client.ask('search_tools', { query: 'echo a text' }),
      ({ results }) => results[0]?.tool === 'echo',
      8_000,
    );
  });

  it('of a repository add servers that need approval, and the approval is detected', async () => {
    using machine = makeMachine();
    await using client = await connect(machine);
    machine.write({ '<project>/.cursor/mcp.json': JSON.stringify({ mcpServers: servers('brought') }) });
    await untilServersAre(client, ['brought']);
    expect(await client.execute('brought', 'echo', { text: 'a' })).toMatchObject({
      structuredContent: {
        error: { code: 'SERVER_NOT_APPROVED', hint: 'ask the user to run: portolan approve brought' },
      },
    });
    await approve(machine, 'brought');
    await until(
      async () => (await client.ask('list_mcp_servers')).servers[0].status,
      (status) => status !== 'pending-approval',
    );
    expect(await client.execute('brought', 'echo', { text: 'a' })).toMatchObject({ content: [{ text: 'a' }] });
  });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Records an approval, as `portolan approve` does after the confirmation. */
async function approve(machine: Machine, name: string): Promise<void> {
  const { scanMachine } = await import('../../src/discovery/index.js');
  const { recordRuling } = await import('../../src/use-cases/index.js');
  const discovery = await scanMachine({ home: machine.home, cwd: machine.project, env: { PATH: process.env.PATH } });
  const server = discovery.servers.find((one) => one.name === name);
  if (!server) throw new Error(`there is no server ${name}`);
  await recordRuling([server.definition], 'approved', discovery, new Date());
}
