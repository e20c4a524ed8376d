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
const becomes = (client: StdioClient, expected: readonly string[]) =>
  until(
    () => namesOf(client),
    (names) => JSON.stringify(names) === JSON.stringify(expected),
  );

describe('files that are watched', () => {
  it('bring and take servers without a restart, and the client is told', async () => {
    using machine = makeMachine();
    configure(machine, servers('one'));
    await using client = await connect(machine);
    expect(await namesOf(client)).toEqual(['one']);

    configure(machine, servers('one', 'two'));
    await becomes(client, ['one', 'two']);
    expect(await client.execute('two', 'echo', { text: 'new' })).toMatchObject({ content: [{ text: 'new' }] });
    expect(JSON.stringify(await client.request('tools/list'))).toContain('one, two');
    expect(client.notifications.map(({ method }) => method)).toEqual([LIST_CHANGED]);

    configure(machine, servers('two'));
    await becomes(client, ['two']);
    expect(await client.execute('one', 'echo', { text: 'old' })).toMatchObject({
      structuredContent: { error: { code: 'SERVER_NOT_FOUND' } },
    });
    expect(client.notifications.map(({ method }) => method)).toEqual([LIST_CHANGED, LIST_CHANGED]);
  });

  it.each([
    { title: 'made where there was none, folder and all', change: (path: string, text: string) => write(path, text) },
    {
      title: 'renamed into its place, as careful editors do',
      change: (path: string, text: string) => {
        write(`${path}.new`, text);
        renameSync(`${path}.new`, path);
      },
    },
  ])('are seen when they are $title', async ({ change }) => {
    using machine = makeMachine();
    await using client = await connect(machine);
    expect(await namesOf(client)).toEqual([]);
    change(machine.path(CURSOR), JSON.stringify({ mcpServers: servers('late') }));
    await becomes(client, ['late']);
    rmSync(machine.path(CURSOR));
    await becomes(client, []);
  });

  it('keep their servers while they do not parse', async () => {
    using machine = makeMachine();
    configure(machine, servers('one'));
    machine.write({ '~/.gemini/settings.json': JSON.stringify({ mcpServers: servers('other') }) });
    await using client = await connect(machine);
    const before = await namesOf(client);
    machine.write({ [CURSOR]: '{"mcpServers": {"one": {"comm', '~/.gemini/settings.json': '{"mcpServers":{}}' });
    // The other file says when both were read again.
    await becomes(client, ['one']);
    expect(before.toSorted()).toEqual(['one', 'other']);
    expect(await client.execute('one', 'echo', { text: 'still' })).toMatchObject({ content: [{ text: 'still' }] });
    configure(machine, servers('mended'));
    await becomes(client, ['mended']);
  });

  it('that hold settings which are wrong change nothing, and that is said', async () => {
    using machine = makeMachine();
    configure(machine, servers('one', 'two'), {});
    await using client = await connect(machine);
    machine.write({ [SETTINGS]: '{"cache": 7}' });
    await until(
      () => client.stderr,
      (said) => said.includes('the previous one stays in force'),
    );
    expect(await namesOf(client)).toEqual(['one', 'two']);
    machine.write({ [SETTINGS]: '{"deniedMcpServers":[{"serverName":"two"}]}' });
    await until(
      () => client.ask('list_mcp_servers'),
      (answer) => answer.servers[1].status === 'blocked-by-policy',
    );
  });

  it('end nothing where they cannot be read again for a reason that nobody foresaw', async () => {
    using machine = makeMachine();
    configure(machine, servers('one'), {});
    // What reads a broken file lies beside the program, and is gone when that is replaced by a newer one.
    const copy = join(machine.root, 'portolan');
    cpSync(dirname(PROGRAM), copy, { recursive: true });
    symlinkSync(join(dirname(PROGRAM), '../node_modules'), join(machine.root, 'node_modules'));
    await using client = await connect(machine, { program: join(copy, basename(PROGRAM)) });
    expect(await client.execute('one', 'echo', { text: 'before' })).toMatchObject({ content: [{ text: 'before' }] });
    rmSync(copy, { recursive: true });
    machine.write({ [SETTINGS]: '{"cache": ' });
    await until(
      () => client.stderr,
      (said) => said.includes('the previous one stays in force'),
    );
    expect(await client.execute('one', 'echo', { text: 'still' })).toMatchObject({ content: [{ text: 'still' }] });
  });

  it('leave the running call and the process of a server that stays as it is', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    const finish = machine.path('~/finish');
    const one = { one: fixture(['one', '--starts', starts, '--until', finish]) };
    configure(machine, one);
    await using client = await connect(machine);
    await client.ask('list_tools', { server: 'one' });
    const call = client.execute('one', 'sleep', { ms: 1 });
    configure(machine, { ...one, ...servers('two') });
    await becomes(client, ['one', 'two']);
    writeFileSync(finish, '');
    expect(await call).toMatchObject({ content: [{ text: 'slept 1' }] });
    expect(startsIn(starts)).toHaveLength(1);
  });

  it('end the process of a server that they name no more, after its last call', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    const finish = machine.path('~/finish');
    configure(machine, { one: fixture(['one', '--starts', starts, '--until', finish]) });
    await using client = await connect(machine);
    await client.ask('list_tools', { server: 'one' });
    const call = client.execute('one', 'sleep', { ms: 1 });
    configure(machine, {});
    await becomes(client, []);
    writeFileSync(finish, '');
    expect(await call).toMatchObject({ content: [{ text: 'slept 1' }] });
    await until(
      () => startsIn(starts).filter(isAlive),
      (alive) => alive.length === 0,
    );
  });

  it('give a server whose entry was mended another try at once', async () => {
    using machine = makeMachine();
    configure(machine, { one: fixture(['--dies', 'typo']) });
    await using client = await connect(machine);
    await until(
      () => client.ask('search_tools', { query: 'echo' }),
      ({ failed }) => failed?.length === 1,
    );
    configure(machine, servers('one'));
    await until(
      () => client.ask('search_tools', { query: 'say a text again' }),
      ({ results }) => results[0]?.tool === 'echo',
      8_000,
    );
  });

  it('bring what a repository wrote only as waiting for approval, and approval is seen too', async () => {
    using machine = makeMachine();
    await using client = await connect(machine);
    machine.write({ '<project>/.cursor/mcp.json': JSON.stringify({ mcpServers: servers('brought') }) });
    await becomes(client, ['brought']);
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

/** What `portolan approve` does once a person has said yes. */
async function approve(machine: Machine, name: string): Promise<void> {
  const { scanMachine } = await import('../../src/discovery/index.js');
  const { recordRuling } = await import('../../src/use-cases/index.js');
  const discovery = await scanMachine({ home: machine.home, cwd: machine.project, env: { PATH: process.env.PATH } });
  const server = discovery.servers.find((one) => one.name === name);
  if (!server) throw new Error(`there is no server ${name}`);
  await recordRuling([server.definition], 'approved', discovery, new Date());
}
