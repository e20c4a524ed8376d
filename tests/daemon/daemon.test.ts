import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { META, MODERN_VERSION } from '../../src/model/index.js';
import { callsReceived, configure, fixture, isAlive, portolan, startsIn, until } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';

const OTHER_UID = 12_345;
const firstText = (result: { readonly content: readonly Record<string, unknown>[] }) => result.content[0]?.text;

describe('the daemon', () => {
  it('starts a server once for clients in different directories, and lists its users', async () => {
    await using setup = makeDaemonSetup();
    const starts = join(setup.machine.home, 'starts');
    configure(setup.machine, { one: fixture(['--starts', starts]) });
    await using a = await setup.client();
    const other = join(setup.machine.home, 'other');
    mkdirSync(other);
    await using b = await setup.client({ cwd: other, env: { MCP_CLIENT_ID: 'bee' } });
    expect(firstText(await a.execute('one', 'echo', { text: 'from a' }))).toBe('from a');
    expect(firstText(await b.execute('one', 'echo', { text: 'from b' }))).toBe('from b');
    expect(startsIn(starts)).toHaveLength(1);
    const { clients } = JSON.parse((await setup.run(['clients', '--json'])).stdout);
    expect(clients).toMatchObject([
      { name: 'test', cwd: setup.machine.project, pid: a.pid, calls: 1 },
      { id: 'bee', name: 'test', cwd: other, pid: b.pid, calls: 1 },
    ]);
    const { processes } = JSON.parse((await setup.run(['ps', '--json'])).stdout);
    expect(processes).toMatchObject([{ server: 'one', state: 'connected', pid: startsIn(starts)[0], workspaces: 2 }]);
  });

  it('starts a server of a project for each project, with the working directory and variables of its client', async () => {
    await using setup = makeDaemonSetup();
    const { machine } = setup;
    const seen = (name: string) => join(machine.home, `${name}.json`);
    const folders = ['a', 'b'].map((name) => {
      const folder = join(machine.home, name);
      mkdirSync(folder);
      const entry = fixture(['--env', seen(name)], { env: { OWN: '$' + '{MINE}' } });
      writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { here: entry } }));
      return folder;
    });
    for (const [at, cwd] of folders.entries()) {
      const env = { MINE: `of ${at}`, LANG: `lang-${at}`, SECRET_OF_CLIENT: 'x' };
      await using client = await setup.client({ cwd, env });
      // A server of a project needs approval, also through a daemon.
      expect(await client.execute('here', 'echo', { text: 'x' })).toMatchObject({
        structuredContent: { error: { code: 'SERVER_NOT_APPROVED' } },
      });
      const machine = { ...setup.machine, project: cwd };
      expect(await portolan(machine, ['approve', 'here', '--yes'], env)).toMatchObject({ status: 0 });
      await until(
        () => client.execute('here', 'echo', { text: 'x' }),
        ({ isError }) => isError !== true,
      );
    }
    const given = ['a', 'b'].map((name) => JSON.parse(readFileSync(seen(name), 'utf8')));
    expect(given.map(({ OWN, LANG, SECRET_OF_CLIENT }) => [OWN, LANG, SECRET_OF_CLIENT])).toEqual([
      ['of 0', 'lang-0', undefined],
      ['of 1', 'lang-1', undefined],
    ]);
  });

  it('is started once by clients that connect at the same time', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { one: fixture() });
    const clients = await Promise.all(Array.from({ length: 4 }, () => setup.client()));
    const { clients: listed } = JSON.parse((await setup.run(['clients', '--json'])).stdout);
    expect(listed).toHaveLength(4);
    await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
  });

  it('is neither used nor started by a client with --daemon never or another home directory', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { one: fixture() });
    await using _alone = await setup.client({ mode: 'never' });
    expect(await setup.pid()).toBeUndefined();
    await using _first = await setup.client();
    await using elsewhere = makeDaemonSetup();
    configure(elsewhere.machine, { two: fixture() });
    await using otherHome = await elsewhere.client({ env: { MCP_BRIDGE_SOCKET: setup.socket } });
    expect(await otherHome.ask('list_mcp_servers')).toMatchObject({ servers: [{ name: 'two' }] });
    expect(JSON.parse((await setup.run(['clients', '--json'])).stdout).clients).toHaveLength(1);
  });

  it('answers the initialize of older bridges, and announces message routing', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, {});
    await setup.run(['daemon', 'start']);
    const { client, socket } = await setup.direct();
    const clientInfo = { name: 'old', version: '1', protocols: ['mcp/1.0'] };
    const { result } = await client.request('initialize', { processId: 42, clientInfo, capabilities: {} });
    expect(result).toMatchObject({
      serverInfo: { name: 'portolan', protocols: ['mcp/1.0'] },
      capabilities: { supportsMessageRouting: true },
    });
    const meta = { [META.version]: MODERN_VERSION, [META.capabilities]: {} };
    expect(await client.request('server/discover', { _meta: meta })).toMatchObject({
      result: { capabilities: { tools: {}, supportsMessageRouting: true } },
    });
    await client.write('{"jsonrpc":"2.0","method":"initialized"}\n');
    expect(await client.request('ping')).toMatchObject({ result: {} });
    socket.destroy();
  });

  it('routes messages and requests between visible clients', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, {});
    await setup.run(['daemon', 'start']);
    const [a, b] = [await setup.direct(), await setup.direct()];
    await a.client.initialize('a');
    await b.client.initialize('b');
    const { result } = await a.client.request('bridge/clients');
    expect(result).toEqual({ clients: [{ id: expect.any(String), name: 'b', version: '1', capabilities: {} }] });
    const to = (result as { clients: { id: string }[] }).clients[0]?.id;
    expect(await a.client.request('bridge/send', { to, message: 'hello' })).toMatchObject({ result: {} });
    const request = a.client.request('bridge/request', { to, method: 'x/add', params: { n: 1 } });
    const asked = await until(
      () => b.client.notifications.find(({ method }) => method === 'x/add'),
      (found) => found !== undefined,
    );
    await b.client.write(`${JSON.stringify({ jsonrpc: '2.0', id: asked?.id, result: { sum: 2 } })}\n`);
    expect(await request).toMatchObject({ result: { sum: 2 } });
    expect(b.client.notifications[0]).toMatchObject({
      method: 'notifications/bridge/message',
      params: { from: expect.any(String), message: 'hello' },
    });
    for (const refused of [
      { to: 'unknown', method: 'x/add' },
      { to, method: 'sampling/createMessage' },
    ])
      expect(await a.client.request('bridge/request', refused)).toMatchObject({ error: { code: -32602 } });
    await b.client.request('bridge/visibility', { visible: false });
    expect(await a.client.request('bridge/clients')).toMatchObject({ result: { clients: [] } });
    expect(await a.client.request('bridge/send', { to, message: 1 })).toMatchObject({ error: { code: -32602 } });
    for (const { socket } of [a, b]) socket.destroy();
  });

  it('responds to a client that has closed its half of the socket', { tags: 'G7' }, async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { one: fixture() });
    await setup.run(['daemon', 'start']);
    const { client, socket } = await setup.direct();
    await client.initialize();
    const params = { name: 'execute_tool', arguments: { server: 'one', tool: 'sleep', arguments: { ms: 300 } } };
    const answer = client.request('tools/call', params);
    socket.end();
    expect(await answer).toMatchObject({ result: { content: [{ text: 'slept 300' }] } });
    await until(() => socket.readableEnded, Boolean);
  });
});

describe('a lost daemon', () => {
  it('is replaced without a reconnect of the client: reads are repeated, the running call fails once, the next call succeeds', async () => {
    await using setup = makeDaemonSetup();
    const received = setup.machine.path('~/received');
    configure(setup.machine, { one: fixture(['--record', received]) });
    await using client = await setup.client({ env: { MCP_CLIENT_ID: 'same' } });
    await client.execute('one', 'echo', { text: 'warm' });
    const before = await setup.pid();
    const call = client.execute('one', 'sleep', { ms: 20_000 }).catch((error: Error) => error.message);
    await callsReceived(received, 2);
    process.kill(before ?? 0, 'SIGKILL');
    expect(await call).toContain('it may or may not have been completed');
    const began = performance.now();
    expect(firstText(await client.execute('one', 'echo', { text: 'again' }))).toBe('again');
    const tookMs = performance.now() - began;
    const after = await setup.pid();
    expect([after === before, tookMs < 10_000]).toEqual([false, true]);
    expect(await client.ask('list_mcp_servers')).toMatchObject({ servers: [{ name: 'one' }] });
    const { clients } = JSON.parse((await setup.run(['clients', '--json'])).stdout);
    expect(clients).toMatchObject([{ id: 'same', name: 'test' }]);
    expect(client.unmatched).toEqual([]);
  });

  it('leaves a socket that the next daemon replaces, but a second daemon does not', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, {});
    await setup.run(['daemon', 'start']);
    const pid = await setup.pid();
    process.kill(pid ?? 0, 'SIGKILL');
    await until(
      () => isAlive(pid ?? 0),
      (alive) => !alive,
    );
    expect(statSync(setup.socket).isSocket()).toBe(true);
    await setup.run(['daemon', 'start']);
    const next = await setup.pid();
    expect(next).not.toBe(pid);
    const second = await setup.run(['serve', '--socket', setup.socket]);
    expect([second.status, second.stderr]).toEqual([
      1,
      expect.stringContaining('another daemon is already listening there'),
    ]);
    expect(await setup.pid()).toBe(next);
  });
});

describe('the path of the socket', () => {
  it('has mode 600', { tags: 'S1' }, async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, {});
    await setup.run(['daemon', 'start']);
    expect((statSync(setup.socket).mode & 0o777).toString(8)).toBe('600');
  });

  it.each([
    { title: 'a file', make: (path: string) => writeFileSync(path, 'mine') },
    { title: 'a folder', make: (path: string) => mkdirSync(path) },
    { title: 'a link to a file', make: (path: string) => symlinkSync('/etc/hostname', path) },
    { title: 'a FIFO', make: (path: string) => void execFileSync('mkfifo', [path]) },
  ])(
    'is refused by daemon and client if it is $title, which stays unchanged',
    { tags: ['R8', 'S1'] },
    async ({ make }) => {
      await using setup = makeDaemonSetup();
      configure(setup.machine, { one: fixture() });
      make(setup.socket);
      const before = statSync(setup.socket).mtimeMs;
      const served = await setup.run(['serve', '--socket', setup.socket]);
      expect([served.status, served.stderr]).toEqual([1, expect.stringContaining('is not a socket')]);
      await using client = await setup.client(); // served without a daemon
      expect(await client.ask('list_mcp_servers')).toMatchObject({ servers: [{ name: 'one' }] });
      expect(client.stderr).toContain('is not a socket');
      expect(statSync(setup.socket).mtimeMs).toBe(before);
      rmSync(setup.socket, { recursive: true });
    },
  );

  it('is refused by daemon and client if it is a link to a socket', { tags: ['R8', 'S1'] }, async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { one: fixture() });
    const received: Buffer[] = [];
    const server = createServer((socket) => void socket.on('data', (chunk: Buffer) => received.push(chunk)));
    const real = join(setup.machine.home, 'run', 'real.sock');
    await new Promise<void>((resolve) => void server.listen(real, resolve));
    chmodSync(real, 0o600);
    symlinkSync(real, setup.socket);
    const served = await setup.run(['serve', '--socket', setup.socket]);
    expect([served.status, served.stderr]).toEqual([1, expect.stringContaining('is not a socket')]);
    await using client = await setup.client();
    expect(client.stderr).toContain('is not a socket');
    expect([received, readlinkSync(setup.socket)]).toEqual([[], real]);
    rmSync(setup.socket);
    await new Promise((resolve) => server.close(resolve));
  });

  // Only root can create a file of another user.
  it.skipIf(process.geteuid?.() !== 0)(
    'is refused by daemon and client if the socket belongs to another user',
    { tags: ['R8', 'S1'] },
    async () => {
      await using setup = makeDaemonSetup();
      configure(setup.machine, { one: fixture() });
      const received: Buffer[] = [];
      const server = createServer((socket) => void socket.on('data', (chunk: Buffer) => received.push(chunk)));
      await new Promise<void>((resolve) => void server.listen(setup.socket, resolve));
      chmodSync(setup.socket, 0o600);
      chownSync(setup.socket, OTHER_UID, OTHER_UID);
      const served = await setup.run(['serve', '--socket', setup.socket]);
      expect([served.status, served.stderr]).toEqual([1, expect.stringContaining('belongs to another user')]);
      await using client = await setup.client();
      expect(client.stderr).toContain('belongs to another user');
      expect([received, statSync(setup.socket).uid]).toEqual([[], OTHER_UID]);
      rmSync(setup.socket);
      await new Promise((resolve) => server.close(resolve));
    },
  );

  it('receives no data if other users can access the socket or write to its directory', { tags: 'S1' }, async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { one: fixture() });
    const received: Buffer[] = [];
    const server = createServer((socket) => void socket.on('data', (chunk: Buffer) => received.push(chunk)));
    await new Promise<void>((resolve) => void server.listen(setup.socket, resolve));
    chmodSync(setup.socket, 0o666);
    await using openSocket = await setup.client();
    expect(openSocket.stderr).toContain('is accessible to other users');
    chmodSync(setup.socket, 0o600);
    chmodSync(join(setup.machine.home, 'run'), 0o777);
    await using openDirectory = await setup.client();
    expect(openDirectory.stderr).toContain('is accessible to other users');
    expect(received).toEqual([]);
    chmodSync(join(setup.machine.home, 'run'), 0o700);
    await new Promise((resolve) => server.close(resolve));
  });
});
