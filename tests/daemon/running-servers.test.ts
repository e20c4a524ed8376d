import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { sdkHandler, serveHttp } from '../fixtures/servers/http-server.js';
import { announce, list } from '../support/announced.js';
import { configure, connect, fixture, isAlive, portolan, startsIn, until } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

const approve = async (machine: Machine, name: string) =>
  expect(await portolan(machine, ['approve', name, '--yes'])).toMatchObject({ status: 0 });
const RUNNING = (machine: Machine) => ({
  client: 'running',
  scope: 'running',
  source: machine.path('<project>/.portolan/mcp_servers.json'),
  line: 1,
});
const NOT_APPROVED = { structuredContent: { error: { code: 'SERVER_NOT_APPROVED' } } };

describe('a server that announced itself', () => {
  it('is listed, needs approval, can be called after it, and is removed when its process is killed', async () => {
    using machine = makeMachine();
    await using server = await serveHttp(sdkHandler());
    await using client = await connect(machine);
    expect(await client.ask('list_mcp_servers')).toMatchObject({ servers: [] });
    await using announcer = await announce(machine, ['--name', 'docs', '--url', server.url]);
    expect((await list(machine)).servers).toMatchObject([
      { name: 'docs', state: 'pending-approval', transport: 'http', url: server.url, origins: [RUNNING(machine)] },
    ]);
    // A gateway that already runs detects the announcement.
    await until(
      () => client.ask('list_mcp_servers'),
      ({ servers }) => servers.length === 1,
    );
    expect(await client.execute('docs', 'echo', { a: 1 })).toMatchObject(NOT_APPROVED);
    expect(server.seen).toEqual([]);
    await approve(machine, 'docs');
    await until(
      () => client.execute('docs', 'echo', { a: 1 }),
      ({ isError }) => isError !== true,
    );
    await announcer.kill();
    await until(
      () => client.ask('list_mcp_servers'),
      ({ servers }) => servers.length === 0,
    );
    expect((await list(machine)).servers).toEqual([]);
  });

  it('needs approval also if it was announced in the registry of the user', async () => {
    using machine = makeMachine();
    await using server = await serveHttp(sdkHandler());
    await using _announcer = await announce(machine, ['--name', 'docs', '--url', server.url, '--user']);
    expect((await list(machine)).servers).toMatchObject([{ name: 'docs', state: 'pending-approval' }]);
    const { stdout } = await portolan(machine, ['approve']);
    expect(stdout).toMatch(/^ +from +running, /m);
    expect(stdout).toMatch(/^1 server waits; approve with: portolan approve <server>$/m);
    expect((await portolan(machine, ['why', 'docs'])).stdout).toMatch(/^● active +running {2}\S+mcp_servers\.json:1 /m);
    await using client = await connect(machine);
    expect(await client.execute('docs', 'echo', { a: 1 })).toMatchObject(NOT_APPROVED);
    expect(server.seen).toEqual([]);
  });

  it.each([
    { title: 'in the same spelling', wanted: (url: string) => url },
    { title: 'in another spelling', wanted: (url: string) => `${url.replace('127.0.0.1', 'LOCALHOST')}/` },
  ])('is a duplicate of the configured server with the same URL $title, whose headers are sent', async ({ wanted }) => {
    using machine = makeMachine();
    await using server = await serveHttp(sdkHandler());
    configure(machine, { mine: { url: wanted(server.url), headers: { 'x-mine': 'yes' } } });
    await using _process = await announce(machine, ['--name', 'docs', '--url', server.url]);
    expect((await list(machine)).servers).toMatchObject([
      { name: 'mine', state: 'ready', origins: [{ client: 'cursor' }, RUNNING(machine)] },
    ]);
    await using client = await connect(machine);
    expect(await client.execute('mine', 'echo', { a: 1 })).toMatchObject({ content: [{ text: '{"a":1}' }] });
    expect(server.headers.every((headers) => headers.get('x-mine') === 'yes')).toBe(true);
  });

  it('is not merged with a configured server of the same name', async () => {
    using machine = makeMachine();
    configure(machine, { docs: fixture() });
    await using _process = await announce(machine, ['--name', 'docs', '--url', 'http://127.0.0.1:9/mcp']);
    expect((await list(machine)).servers).toMatchObject([
      { name: 'docs', state: 'ready', origins: [{ client: 'cursor' }] },
      { name: 'docs_2', state: 'pending-approval', renamedFrom: 'docs', origins: [RUNNING(machine)] },
    ]);
  });

  it('is not merged with a second process of the same name, but with its own entry in a second registry', async () => {
    using machine = makeMachine();
    const at = (port: number) => ['--name', 'docs', '--url', `http://127.0.0.1:${port}/mcp`];
    await using _first = await announce(machine, at(9));
    await using _second = await announce(machine, at(10));
    await using _again = await announce(machine, [...at(10), '--user']);
    const { servers } = await list(machine);
    expect(servers.map(({ name }) => name).toSorted()).toEqual(['docs', 'docs_2']);
    expect(servers.map(({ url, origins }) => [url, origins.length]).toSorted()).toEqual([
      ['http://127.0.0.1:10/mcp', 2],
      ['http://127.0.0.1:9/mcp', 1],
    ]);
  });

  it('replaces, after approval, a configured server with the same launch, which is not started again', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    const entry = fixture(['--starts', starts]);
    configure(machine, { mine: entry });
    await using server = await serveHttp(sdkHandler());
    await using announcer = await announce(machine, [
      ...['--name', 'elsewhere', '--url', server.url],
      ...['--', entry.command, ...entry.args],
    ]);
    // An announcement can claim any launch, so it has no effect before the approval.
    expect((await list(machine)).servers).toMatchObject([
      { name: 'mine', state: 'ready', origins: [{ client: 'cursor' }] },
      { name: 'elsewhere', state: 'pending-approval', origins: [RUNNING(machine)] },
    ]);
    await using client = await connect(machine);
    expect(await client.execute('mine', 'echo', { text: 'own' })).toMatchObject({ content: [{ text: 'own' }] });
    expect([startsIn(starts).length, server.seen]).toEqual([1, []]);

    await approve(machine, 'elsewhere');
    expect((await list(machine)).servers).toMatchObject([
      { name: 'mine', state: 'ready', runsAt: server.url, origins: [{ client: 'cursor' }, RUNNING(machine)] },
    ]);
    expect((await portolan(machine, ['why', 'mine'])).stdout).toContain(`${server.url}, so it is not started`);
    const result = await until(
      () => client.execute('mine', 'echo', { text: 'theirs' }),
      ({ content }) => content[0]?.text === '{"text":"theirs"}',
    );
    expect(result.isError).not.toBe(true);
    expect(startsIn(starts)).toHaveLength(1);
    // The process that the gateway had started is stopped.
    await until(
      () => isAlive(startsIn(starts)[0] ?? 0),
      (alive) => !alive,
    );

    await announcer.kill();
    await until(
      () => client.execute('mine', 'echo', { text: 'own' }),
      ({ content }) => content[0]?.text === 'own',
    );
    expect(startsIn(starts)).toHaveLength(2);
  });

  it('needs another approval before an approved URL may replace a configured server', async () => {
    using machine = makeMachine();
    const entry = fixture();
    configure(machine, { mine: entry });
    await using server = await serveHttp(sdkHandler());
    const args = ['--name', 'docs', '--url', server.url];
    await using _plain = await announce(machine, args);
    await approve(machine, 'docs');
    expect((await list(machine)).servers).toMatchObject([{ name: 'mine' }, { name: 'docs', state: 'ready' }]);
    await using _claim = await announce(machine, [...args, '--', entry.command, ...entry.args]);
    const { servers } = await list(machine);
    expect(servers.map(({ name, state, runsAt }) => [name, state, runsAt]).toSorted()).toEqual([
      ['docs', 'ready', undefined],
      ['docs_2', 'pending-approval', undefined],
      ['mine', 'ready', undefined],
    ]);
    const { stdout } = await portolan(machine, ['approve', 'docs_2']);
    expect(stdout).toContain('mine, which is not started while this server runs');
  });

  it.skipIf(process.platform === 'win32')('is called over its socket', async () => {
    using machine = makeMachine();
    const path = machine.path('~/a b.sock');
    const { command, args } = fixture();
    await using server = await serveBySocket(path, () => spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] }));
    await using _announcer = await announce(machine, ['--name', 'docs', '--url', `unix:${server.path}`]);
    expect((await list(machine)).servers).toMatchObject([
      { name: 'docs', transport: 'socket', state: 'pending-approval' },
    ]);
    await approve(machine, 'docs');
    await using client = await connect(machine);
    expect(await client.execute('docs', 'echo', { text: 'by socket' })).toMatchObject({
      content: [{ text: 'by socket' }],
    });
  });

  it('is listed as inventory-only if it has only stdio', async () => {
    using machine = makeMachine();
    writeRegistry(machine, { stdio_only_1: entry({ stdio_active: true }) });
    const { servers, problems } = await list(machine);
    expect(servers).toMatchObject([{ name: 'stdio_only', state: 'inventory-only' }]);
    expect(problems).toMatchObject([{ code: 'running-unreachable', severity: 'info', server: 'stdio_only' }]);
  });
});

/** Starts one process for each connection. */
async function serveBySocket(path: string, start: () => ChildProcessByStdio<Writable, Readable, null>) {
  const server = createServer((socket) => {
    const child = start();
    socket.pipe(child.stdin);
    child.stdout.pipe(socket);
    socket.on('error', () => undefined).on('close', () => child.kill());
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    path: path.replaceAll(' ', '%20'),
    [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')),
  };
}

const entry = (more: object) => ({
  ...{ name: 'stdio_only', pid: process.pid, stdio_active: false, http: { enabled: false } },
  ...{ started_at: new Date().toISOString(), cwd: '/x', ...more },
});

function writeRegistry(machine: Machine, servers: object, folder = '.portolan'): string {
  const text = JSON.stringify({ version: '1.0', servers });
  machine.write({ [`<project>/${folder}/mcp_servers.json`]: text });
  return text;
}

describe('registry files of other programs', () => {
  it('are read as untrusted, and never rewritten', async () => {
    using machine = makeMachine();
    const http = { enabled: true, host: '127.0.0.1', port: 9, url: 'http://127.0.0.1:9/' };
    const text = writeRegistry(
      machine,
      {
        nabu_mcp_1: entry({ name: 'nabu_mcp', http }),
        evil_2: entry({ name: 'evil', http: { ...http, url: 'file:///etc/passwd' } }),
        dead_3: entry({ name: 'dead', http, pid: 2 ** 31 - 1 }),
      },
      '.nisaba',
    );
    const path = machine.path('<project>/.nisaba/mcp_servers.json');
    const before = statSync(path);
    const { servers } = await list(machine);
    expect(servers.map(({ name, state, url }) => [name, state, url])).toEqual([
      ['nabu_mcp', 'pending-approval', 'http://127.0.0.1:9/'],
      ['evil', 'inventory-only', undefined],
    ]);
    const after = statSync(path);
    expect([readFileSync(path, 'utf8'), after.ino, after.mtimeMs]).toEqual([text, before.ino, before.mtimeMs]);
  });

  it.each([
    { title: 'a link', make: (path: string) => symlinkSync('/etc/passwd', path) },
    { title: 'a FIFO', make: (path: string) => execFileSync('mkfifo', [path]) },
    { title: 'a folder', make: (path: string) => mkdirSync(path) },
    { title: 'a file of two megabytes', make: (path: string) => writeFileSync(path, ' '.repeat(2 * 2 ** 20)) },
  ])('are refused if they are $title, and the other servers stay listed', { tags: 'R8' }, async ({ make }) => {
    using machine = makeMachine();
    configure(machine, { mine: fixture() });
    for (const folder of ['.nisaba', '.portolan']) {
      mkdirSync(machine.path(`<project>/${folder}`));
      make(machine.path(`<project>/${folder}/mcp_servers.json`));
    }
    const { servers, problems } = await list(machine);
    expect(servers.map(({ name }) => name)).toEqual(['mine']);
    expect(problems.map(({ code }) => code)).toEqual(['running-registry', 'running-registry']);
  });

  it('are refused if their directory is a symbolic link', { tags: 'R8' }, async () => {
    using machine = makeMachine();
    using other = makeMachine();
    await using _process = await announce(other, ['--name', 'docs', '--url', 'http://127.0.0.1:9/']);
    symlinkSync(other.path('<project>/.portolan'), machine.path('<project>/.portolan'));
    expect(await list(machine)).toMatchObject({ servers: [], problems: [{ code: 'running-registry' }] });
  });

  it('cannot hide a configured server with the name of Portolan', async () => {
    using machine = makeMachine();
    configure(machine, { mine: { url: 'http://127.0.0.1:9/mcp' } });
    const http = { enabled: true, url: 'http://127.0.0.1:9/mcp' };
    writeRegistry(machine, { portolan_1: entry({ name: 'portolan', http }) });
    expect(await list(machine)).toMatchObject({ servers: [{ name: 'mine', state: 'ready' }], problems: [] });
  });
});
