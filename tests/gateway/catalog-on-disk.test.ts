import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { configure, connect, FIXTURE, fixture, isAlive, startsIn, until } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

/** The limit of a search. An answer from memory takes far less, so a search that waited for this limit is recognized. */
const SEARCH_MS = 1_500;
const SETTINGS = '~/.config/portolan/portolan.config.json';
/** With these settings every list on disk has expired. */
const EXPIRED = JSON.stringify({ cache: { ttl: 0 }, timeouts: { idleMs: 50 } });

const catalogFiles = (machine: Machine): string[] => {
  const folder = machine.path('~/.cache/portolan/catalog');
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
};
const knownTools = (machine: Machine) =>
  catalogFiles(machine).flatMap((path) => JSON.parse(readFileSync(path, 'utf8')).tools?.length ?? []);

/** Servers that record each start. */
function countingServers(machine: Machine, names: readonly string[], flags: readonly string[] = []) {
  const path = (name: string) => machine.path(`~/starts-${name}`);
  return {
    entries: Object.fromEntries(names.map((name) => [name, fixture([name, '--starts', path(name), ...flags])])),
    starts: () => names.map((name) => startsIn(path(name)).length),
    pids: () => names.flatMap((name) => startsIn(path(name))),
  };
}

describe('a cold catalog', () => {
  it('answers a search within searchMs from the lists read so far, and names pending servers', async () => {
    using machine = makeMachine();
    const opened = machine.path('~/opened');
    configure(
      machine,
      {
        quick: fixture(['quick']),
        slow: fixture(['slow', '--wait-for', opened]),
        dying: fixture(['--dies', 'the licence has expired']),
      },
      { timeouts: { searchMs: 300 } },
    );
    await using client = await connect(machine);
    const before = performance.now();
    const first = await client.ask('search_tools', { query: 'echo a text', limit: 1 });
    expect(performance.now() - before).toBeLessThan(3_500);
    expect(first.pending).toContain('slow');
    const second = await until(
      () => client.ask('search_tools', { query: 'echo a text', limit: 1 }),
      ({ pending }) => pending?.length === 1,
    );
    expect(second).toMatchObject({
      results: [{ server: 'quick', tool: 'echo' }],
      pending: ['slow'],
      failed: [{ server: 'dying', error: expect.stringContaining('the licence has expired') }],
    });
    expect(await client.ask('list_mcp_servers')).toMatchObject({
      servers: [
        { name: 'quick', toolCount: 8, enabledCount: 8 },
        { name: 'slow', status: 'starting' },
        { name: 'dying', status: 'error', error: expect.stringContaining('the licence has expired') },
      ],
      pending: ['slow'],
    });
    // The background read continues, and its result is used once the server answers.
    writeFileSync(opened, '');
    const { results } = await until(
      () => client.ask('search_tools', { query: 'echo a text' }),
      (answer) => answer.pending === undefined,
    );
    expect(results.map(({ server }: { server: string }) => server)).toEqual(expect.arrayContaining(['quick', 'slow']));
  });

  it('reports progress for each list, if the request has a progress token', async () => {
    using machine = makeMachine();
    configure(machine, { one: fixture(['one']), two: fixture(['two']) }, { timeouts: { searchMs: 10_000 } });
    await using client = await connect(machine);
    await client.call('search_tools', { query: 'echo' }, { progressToken: 7 });
    expect(client.notifications.map(({ params }) => params)).toEqual([
      { progressToken: 7, progress: 1, total: 2, message: expect.stringMatching(/^read (one|two)$/) },
      { progressToken: 7, progress: 2, total: 2, message: expect.stringMatching(/^read (one|two)$/) },
    ]);
  });

  it('stores nothing for servers that were pending or queued when the gateway ended', async () => {
    using machine = makeMachine();
    const names = ['one', 'two', 'three', 'four'];
    const slow = countingServers(machine, names, ['--wait-for', machine.path('~/never')]);
    configure(machine, slow.entries, { timeouts: { searchMs: 300 } });
    const first = await connect(machine);
    expect((await first.ask('search_tools', { query: 'echo' })).pending).toEqual(names);
    await first[Symbol.asyncDispose]();
    expect({ stderr: first.stderr, files: catalogFiles(machine) }).toEqual({ stderr: '', files: [] });
    await using second = await connect(machine);
    expect(await second.ask('search_tools', { query: 'echo' })).toEqual({ results: [], pending: names });
  });

  it('answers requests for one server while other servers hang', async () => {
    using machine = makeMachine();
    const hanging = ['h1', 'h2', 'h3'].map((name) => [name, fixture([name, '--mute'])]);
    const fine = ['f1', 'f2', 'f3'].map((name) => [name, fixture([name])]);
    configure(machine, Object.fromEntries([...hanging, ...fine]), { timeouts: { searchMs: 50 } });
    await using client = await connect(machine);
    await client.ask('search_tools', { query: 'echo' });
    const before = performance.now();
    expect(await client.execute('f1', 'echo', { text: 'a' })).toMatchObject({ content: [{ text: 'a' }] });
    expect((await client.ask('list_tools', { server: 'f2' })).tools).toHaveLength(8);
    expect(await client.ask('get_tool_details', { server: 'f3', tool: 'echo' })).toMatchObject({ tool: 'echo' });
    // A start times out after half a minute.
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  it('waits once for a server that hangs, and neither waits for it nor lists it in a search of another server', async () => {
    using machine = makeMachine();
    configure(
      machine,
      { fine: fixture(['fine']), hangs: fixture(['--mute']) },
      // A start that hangs takes twice `startMs`: each of the two handshakes has that limit.
      { timeouts: { searchMs: SEARCH_MS, startMs: SEARCH_MS } },
    );
    await using client = await connect(machine);
    const timed = async (name: string, given = {}) => {
      const before = performance.now();
      const { pending, failed } = await client.ask(name, given);
      return { isLate: performance.now() - before > SEARCH_MS / 2, pending, failed };
    };
    const ofFine = { query: 'echo', server: 'fine' };
    expect(await timed('search_tools', ofFine)).toEqual({ isLate: false });
    expect(await timed('search_tools', { query: 'echo' })).toEqual({ isLate: true, pending: ['hangs'] });
    expect(await timed('search_tools', { query: 'echo' })).toEqual({ isLate: false, pending: ['hangs'] });
    expect(await timed('list_mcp_servers')).toEqual({ isLate: false, pending: ['hangs'] });
    await until(
      () => client.ask('search_tools', { query: 'echo' }),
      ({ failed }) => failed?.length === 1,
    );
    // A direct request tries the server again; for the others its failure is known.
    const asking = client.ask('list_tools', { server: 'hangs' }).catch(() => undefined);
    const failed = [{ server: 'hangs', error: expect.stringContaining('hangs did not start') }];
    expect(await timed('search_tools', { query: 'echo' })).toEqual({ isLate: false, failed });
    expect(await timed('search_tools', ofFine)).toEqual({ isLate: false });
    await asking;
  });

  it('starts each server once for concurrent requests', async () => {
    using machine = makeMachine();
    const { entries, starts } = countingServers(machine, ['own'], ['--slow', '300']);
    configure(machine, entries);
    await using client = await connect(machine);
    const answers = await Promise.all([
      client.execute('own', 'echo', { text: 'a' }),
      client.execute('own', 'echo', { text: 'b' }),
      client.ask('search_tools', { query: 'echo' }),
      client.ask('list_tools', { server: 'own' }),
      client.ask('get_tool_details', { server: 'own', tool: 'sleep' }),
    ]);
    expect(answers.slice(0, 2).map(({ content }) => content[0].text)).toEqual(['a', 'b']);
    expect(starts()).toEqual([1]);
    // The same with a cached tool list.
    await using second = await connect(machine);
    const calls = await Promise.all(['a', 'b', 'c'].map((text) => second.execute('own', 'echo', { text })));
    expect(calls.map(({ content }) => content[0]?.text)).toEqual(['a', 'b', 'c']);
    expect(starts()).toEqual([2]);
  });
});

describe('a warm catalog', () => {
  it('answers all requests except calls without starting a server', async () => {
    using machine = makeMachine();
    const { entries, starts, pids } = countingServers(machine, ['one', 'two']);
    configure(machine, { ...entries, dying: fixture(['--dies', 'no', '--starts', machine.path('~/starts-dying')]) });
    {
      await using client = await connect(machine);
      await until(
        () => client.ask('search_tools', { query: 'echo' }),
        ({ pending }) => pending === undefined,
      );
    }
    expect(starts()).toEqual([1, 1]);
    expect(pids().filter(isAlive)).toEqual([]);
    const failedStarts = startsIn(machine.path('~/starts-dying')).length;

    await using client = await connect(machine);
    expect((await client.request('tools/list')).tools).toHaveLength(6);
    expect(await client.ask('list_mcp_servers')).toEqual({
      servers: [
        { name: 'one', toolCount: 8, enabledCount: 8, status: 'idle' },
        { name: 'two', toolCount: 8, enabledCount: 8, status: 'idle' },
        { name: 'dying', status: 'error', error: expect.stringContaining('dying did not start') },
      ],
    });
    expect((await client.ask('search_tools', { query: 'echo', server: 'two' })).results[0]).toMatchObject({
      server: 'two',
      tool: 'echo',
    });
    expect((await client.ask('list_tools', { server: 'one' })).tools).toHaveLength(8);
    expect(await client.ask('get_tool_details', { server: 'one', tool: 'sleep' })).toMatchObject({ tool: 'sleep' });
    // Neither a server with a cached list nor one with a cached failure was started.
    expect({ starts: starts(), failedStarts: startsIn(machine.path('~/starts-dying')).length }).toEqual({
      starts: [1, 1],
      failedStarts,
    });
    await client.execute('one', 'echo', { text: 'now' });
    expect(starts()).toEqual([2, 1]);
  });

  it('is refreshed in the background after it has expired', async () => {
    using machine = makeMachine();
    const tools = machine.path('~/tools.json');
    const toolNamed = (name: string) => JSON.stringify([{ name, inputSchema: { type: 'object' } }]);
    writeFileSync(tools, toolNamed('first'));
    configure(machine, { own: fixture(['--tools', tools, '--slow', '300']) }, { timeouts: { idleMs: 50 } });
    {
      await using client = await connect(machine);
      expect(await client.ask('list_tools', { server: 'own' })).toMatchObject({ tools: [{ name: 'first' }] });
    }
    writeFileSync(tools, toolNamed('second'));
    machine.write({ [SETTINGS]: EXPIRED });
    await using client = await connect(machine);
    const { results, pending } = await client.ask('search_tools', { query: 'first' });
    expect({ found: results[0]?.tool, pending }).toEqual({ found: 'first', pending: undefined });
    await until(
      async () => (await client.ask('list_tools', { server: 'own' })).tools[0].name,
      (name) => name === 'second',
    );
  });

  it('removes the failure of a server that has started again for a call', async () => {
    using machine = makeMachine();
    const program = machine.path('~/own.mjs');
    const working = `await import(${JSON.stringify(pathToFileURL(FIXTURE).href)});`;
    writeFileSync(program, working);
    const own = { command: process.execPath, args: [program] };
    configure(machine, { own }, { timeouts: { idleMs: 50 } });
    {
      await using client = await connect(machine);
      await client.ask('list_tools', { server: 'own' });
    }
    writeFileSync(program, 'process.exit(5);');
    machine.write({ [SETTINGS]: EXPIRED });
    {
      await using client = await connect(machine);
      const search = () => client.ask('search_tools', { query: 'echo', limit: 1 });
      await until(search, ({ failed }) => failed !== undefined);
      writeFileSync(program, working);
      expect(await client.execute('own', 'echo', { text: 'a' })).toMatchObject({ content: [{ text: 'a' }] });
      expect((await client.ask('list_mcp_servers')).servers).toEqual([
        { name: 'own', toolCount: 8, enabledCount: 8, status: expect.stringMatching(/^(?:connected|idle)$/) },
      ]);
      expect((await search()).failed).toBeUndefined();
    }
    expect(catalogFiles(machine).map((path) => JSON.parse(readFileSync(path, 'utf8')).error)).toEqual([undefined]);
  });

  it('stores the failure of a server that exited during a call, until it starts again', async () => {
    using machine = makeMachine();
    configure(machine, { own: fixture() });
    const listed = async () => {
      await using client = await connect(machine);
      return (await client.ask('list_mcp_servers')).servers;
    };
    {
      await using client = await connect(machine);
      expect(await client.execute('own', 'exit')).toMatchObject({ isError: true });
    }
    const failed = { name: 'own', toolCount: 8, enabledCount: 8, status: 'error', error: expect.any(String) };
    expect(await listed()).toEqual([failed]);
    {
      await using client = await connect(machine);
      expect(await client.execute('own', 'echo', { text: 'a' })).toMatchObject({ content: [{ text: 'a' }] });
    }
    expect(await listed()).toEqual([{ name: 'own', toolCount: 8, enabledCount: 8, status: 'idle' }]);
  });

  it('is not written with "cache.enabled": false', async () => {
    using machine = makeMachine();
    const { entries, starts } = countingServers(machine, ['own']);
    configure(machine, entries, { cache: { enabled: false } });
    for (const expected of [1, 2]) {
      await using client = await connect(machine);
      await client.ask('list_tools', { server: 'own' });
      expect(starts()).toEqual([expected]);
    }
    expect(catalogFiles(machine)).toEqual([]);
  });

  it('is shared by concurrent gateways', async () => {
    using machine = makeMachine();
    const names = ['one', 'two', 'three'];
    const { entries, starts } = countingServers(machine, names);
    configure(machine, entries);
    {
      await using stack = new ClientStack();
      const clients = await Promise.all([1, 2, 3].map(async () => stack.use(await connect(machine))));
      const answers = await Promise.all(
        clients.flatMap((client) => names.map((server) => client.ask('list_tools', { server }))),
      );
      expect(answers.map(({ tools }) => tools.length)).toEqual(answers.map(() => 8));
      expect(clients.map(({ stderr }) => stderr)).toEqual(['', '', '']);
    }
    expect(knownTools(machine)).toEqual([8, 8, 8]);
    const before = starts();
    await using client = await connect(machine);
    expect((await client.ask('list_mcp_servers')).servers.map((one: { toolCount: number }) => one.toolCount)).toEqual([
      8, 8, 8,
    ]);
    expect(starts()).toEqual(before);
  });

  it.each([
    { title: 'truncated', damage: (text: string) => text.slice(0, text.length / 2) },
    { title: 'empty', damage: () => '' },
    { title: 'of another version', damage: (text: string) => text.replace('"version":1', '"version":99') },
    { title: 'not JSON', damage: () => '\u0000\uffff{[' },
  ])('is created again with a warning if a file is $title', async ({ damage }) => {
    using machine = makeMachine();
    const { entries, starts } = countingServers(machine, ['own']);
    configure(machine, entries);
    {
      await using client = await connect(machine);
      await client.ask('list_tools', { server: 'own' });
    }
    const [path = ''] = catalogFiles(machine);
    writeFileSync(path, damage(readFileSync(path, 'utf8')));
    await using client = await connect(machine);
    expect((await client.ask('list_tools', { server: 'own' })).tools).toHaveLength(8);
    expect(JSON.parse(client.stderr.split('\n')[0] ?? '')).toMatchObject({
      level: 'warn',
      message: 'a catalog file is not usable and is created again',
      path,
    });
    expect(starts()).toEqual([2]);
    expect(knownTools(machine)).toEqual([8]);
  });
});

describe('an idle server', () => {
  it('is stopped after idleMs without an error, and started again by a call', async () => {
    using machine = makeMachine();
    const { entries, starts, pids } = countingServers(machine, ['own']);
    configure(machine, entries, { timeouts: { idleMs: 300 } });
    await using client = await connect(machine);
    await client.execute('own', 'echo', { text: 'a' });
    expect((await client.ask('list_mcp_servers')).servers).toMatchObject([{ status: 'connected' }]);
    await until(
      () => pids().filter(isAlive),
      (alive) => alive.length === 0,
    );
    const { servers } = await client.ask('list_mcp_servers');
    expect(servers).toEqual([{ name: 'own', toolCount: 8, enabledCount: 8, status: 'idle' }]);
    expect(await client.execute('own', 'echo', { text: 'b' })).toMatchObject({ content: [{ text: 'b' }] });
    expect(starts()).toEqual([2]);
    expect(client.stderr).toBe('');
  });

  it('is not stopped during a call that takes longer than idleMs', async () => {
    using machine = makeMachine();
    const { entries, starts } = countingServers(machine, ['own']);
    configure(machine, entries, { timeouts: { idleMs: 1_000 } });
    await using client = await connect(machine);
    // Twice the idle limit, which is long enough for the handshake on a busy machine.
    expect(await client.execute('own', 'sleep', { ms: 2_000 })).toMatchObject({ content: [{ text: 'slept 2000' }] });
    expect(starts()).toEqual([1]);
  });
});

/** Node 20 has no `AsyncDisposableStack`. */
class ClientStack implements AsyncDisposable {
  readonly #clients: AsyncDisposable[] = [];

  use<T extends AsyncDisposable>(one: T): T {
    this.#clients.push(one);
    return one;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((one) => one[Symbol.asyncDispose]()));
  }
}
