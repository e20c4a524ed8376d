import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CallResult, connect, fixture, portolan, type StdioClient, until } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';
import { type Machine, makeMachine } from '../support/machine.js';

const FIRST = '~/.cursor/mcp.json';
const SECOND = '~/.gemini/settings.json';
/** Read after the other two. */
const THIRD = '~/.config/portolan/servers.json';
const NAMES = '~/.local/state/portolan/server-names.json';

/** Writes a client's file with servers that say which one they are. */
function define(machine: Machine, file: string, servers: Readonly<Record<string, string>>): void {
  const entries = Object.entries(servers).map(([name, word]) => [name, fixture([word])]);
  machine.write({ [file]: JSON.stringify({ mcpServers: Object.fromEntries(entries) }) });
}

/** The word of the server that answered, or the error. */
async function reached(client: StdioClient, server: string): Promise<string> {
  const { structuredContent, content }: CallResult = await client.execute(server, 'argv');
  const { error } = (structuredContent ?? {}) as { error?: { code: string; message: string; hint: string } };
  return error ? `${error.code}: ${error.message}; ${error.hint}` : String(content[0]?.text);
}

async function listed(client: StdioClient): Promise<readonly string[]> {
  return (await client.ask('list_mcp_servers')).servers.map(({ name }: { name: string }) => name);
}

/** Waits until the gateway has seen a changed file. */
async function seen(client: StdioClient, names: readonly string[]): Promise<void> {
  await until(
    () => listed(client),
    (now) => JSON.stringify([...now].sort()) === JSON.stringify([...names].sort()),
  );
}

describe('a name that a session has seen', () => {
  it('stays with its server when the first of two servers of one name is removed', async () => {
    using machine = makeMachine();
    define(machine, FIRST, { everything: 'first' });
    define(machine, SECOND, { everything: 'second' });
    await using client = await connect(machine);
    expect(await reached(client, 'everything')).toContain('first');
    expect(await reached(client, 'everything_2')).toContain('second');
    define(machine, FIRST, {});
    await seen(client, ['everything_2']);
    expect(await reached(client, 'everything')).toBe(
      'SERVER_NOT_FOUND: the server "everything" was removed; use everything_2 instead',
    );
    expect(await reached(client, 'everything_2')).toContain('second');
    define(machine, FIRST, { everything: 'first' });
    await seen(client, ['everything', 'everything_2']);
    expect(await reached(client, 'everything')).toContain('first');
  });

  it('is not given to another server that comes later', async () => {
    using machine = makeMachine();
    define(machine, FIRST, { everything: 'first', other: 'other' });
    await using client = await connect(machine);
    expect(await reached(client, 'everything')).toContain('first');
    define(machine, FIRST, { other: 'other' });
    define(machine, SECOND, { everything: 'new' });
    await seen(client, ['everything_2', 'other']);
    expect(await reached(client, 'everything')).toBe(
      'SERVER_NOT_FOUND: the server "everything" was removed; use everything_2 instead',
    );
    expect(await reached(client, 'everything_2')).toContain('new');
  });

  it('leads to the new name of a renamed server', async () => {
    using machine = makeMachine();
    define(machine, FIRST, { before: 'one' });
    await using client = await connect(machine);
    await seen(client, ['before']);
    define(machine, FIRST, { after: 'one' });
    await seen(client, ['after']);
    expect(await reached(client, 'before')).toBe(
      'SERVER_NOT_FOUND: the server "before" was removed; use after instead',
    );
    define(machine, FIRST, {});
    await seen(client, []);
    expect(await reached(client, 'before')).toBe(
      'SERVER_NOT_FOUND: the server "before" was removed; list_mcp_servers shows the names',
    );
  });

  it('stays with an entry whose command is edited', async () => {
    using machine = makeMachine();
    define(machine, FIRST, { everything: 'first' });
    define(machine, SECOND, { everything: 'second' });
    await using client = await connect(machine);
    await seen(client, ['everything', 'everything_2']);
    define(machine, SECOND, { everything: 'edited' });
    await until(
      () => reached(client, 'everything_2'),
      (text) => text.includes('edited'),
    );
    expect(await reached(client, 'everything')).toContain('first');
  });

  it('is the same for the tools of --expose all and for programs', async () => {
    using machine = makeMachine();
    define(machine, FIRST, { 'my-server': 'first' });
    define(machine, SECOND, { my_server: 'second' });
    await using client = await connect(machine, { args: ['serve', '--expose', 'all'] });
    const call = async (name: string) => String((await client.call(name)).content[0]?.text);
    await client.request('tools/list');
    expect(await call('my_server_2__argv')).toContain('second');
    define(machine, FIRST, {});
    await until(
      async () => JSON.stringify(await client.request('tools/list')),
      (text) => !text.includes('"my_server__argv"'),
    );
    expect(await call('my_server_2__argv')).toContain('second');
    await expect(client.call('my_server__argv')).rejects.toThrow('Unknown tool');
  });

  it('holds for clients of the daemon', async () => {
    await using setup = makeDaemonSetup();
    define(setup.machine, FIRST, { everything: 'first' });
    define(setup.machine, SECOND, { everything: 'second' });
    await using client = await setup.client();
    expect(await reached(client, 'everything')).toContain('first');
    define(setup.machine, FIRST, {});
    await seen(client, ['everything_2']);
    expect(await reached(client, 'everything')).toContain('use everything_2 instead');
  });
});

describe('the number in a name', () => {
  it('is stored, so that it does not move in a later process', async () => {
    using machine = makeMachine();
    define(machine, FIRST, { everything: 'first' });
    define(machine, SECOND, { everything: 'second' });
    {
      await using client = await connect(machine);
      await seen(client, ['everything', 'everything_2']);
    }
    define(machine, FIRST, {});
    await using client = await connect(machine);
    expect(await listed(client)).toEqual(['everything_2']);
    expect(await reached(client, 'everything_2')).toContain('second');
    // Nobody is told twice: the plain name is free, and leads nowhere by itself.
    expect(await reached(client, 'everything')).toContain('SERVER_NOT_FOUND');
    expect(JSON.parse((await portolan(machine, ['list', '--json'])).stdout).servers).toMatchObject([
      { name: 'everything_2', renamedFrom: 'everything' },
    ]);
  });

  it('is not changed by a server that is read before', async () => {
    using machine = makeMachine();
    define(machine, THIRD, { everything: 'mine' });
    {
      await using client = await connect(machine);
      await seen(client, ['everything']);
    }
    define(machine, FIRST, { everything: 'earlier in the order' });
    await using client = await connect(machine);
    expect(await reached(client, 'everything')).toContain('mine');
    expect(await reached(client, 'everything_2')).toContain('earlier');
  });

  it('is not stored as the plain name of a server that a repository brings', async () => {
    using machine = makeMachine();
    define(machine, '<project>/.cursor/mcp.json', { everything: 'brought' });
    {
      await using client = await connect(machine);
      await seen(client, ['everything']);
    }
    define(machine, FIRST, { everything: 'mine' });
    const { stdout } = await portolan({ ...machine, project: machine.home }, ['list', '--json']);
    expect(JSON.parse(stdout).servers).toMatchObject([{ name: 'everything' }]);
  });

  it.each(['', '{"version":1,"names":{"a', '[]', '{"names":{"x":{"name":5}}}'])(
    'is given again if the state file contains %j',
    async (text) => {
      using machine = makeMachine();
      define(machine, FIRST, { everything: 'first' });
      define(machine, SECOND, { everything: 'second' });
      machine.write({ [NAMES]: text });
      {
        await using client = await connect(machine);
        expect(await reached(client, 'everything_2')).toContain('second');
      }
      expect(JSON.parse(readFileSync(machine.path(NAMES), 'utf8')).version).toBe(1);
    },
  );

  it('cannot be given to a server of another name by the state file', async () => {
    using machine = makeMachine();
    define(machine, FIRST, { mine: 'mine' });
    {
      await using client = await connect(machine);
      await seen(client, ['mine']);
    }
    const stored = JSON.parse(readFileSync(machine.path(NAMES), 'utf8'));
    const names = Object.fromEntries(
      Object.keys(stored.names).map((key) => [key, { name: 'github', alias: 'github' }]),
    );
    writeFileSync(machine.path(NAMES), JSON.stringify({ ...stored, names }));
    await using client = await connect(machine);
    expect(await listed(client)).toEqual(['mine']);
  });
});
