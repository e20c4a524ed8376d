import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readAudit } from '../../src/audit/index.js';
import {
  configure,
  connect,
  fixture,
  isAlive,
  type StdioClient,
  startsIn,
  until,
} from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';
import { type Machine, makeMachine } from '../support/machine.js';

/** A short limit for tests that wait for it. */
const SHORT_SHUTDOWN = { timeouts: { shutdownMs: 500 } };
const LARGE_ANSWERS = 3;

/** The number of responses of the fixture that were read completely; each line of the file is an id. */
const responsesRead = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0);

/** The flag that makes the fixture record which responses were read, and the file. */
function recordReads(machine: Machine): { readonly readFile: string; readonly flags: readonly string[] } {
  const readFile = machine.path('~/read');
  return { readFile, flags: ['--sent', readFile] };
}

/** Sends SIGTERM and waits until the shutdown has begun, so that requests are refused. */
async function beginShutdown(client: StdioClient): Promise<void> {
  client.signal('SIGTERM');
  const asking = until(
    () => client.request('ping'),
    () => false,
  );
  await expect(asking).rejects.toMatchObject({ code: -32603 });
}

/** Requests large results, does not read them, and waits until the gateway has exited after SIGTERM. */
async function exitUnread(client: StdioClient, readFile: string): Promise<void> {
  const before = responsesRead(readFile);
  client.stopReading();
  for (let n = 0; n < LARGE_ANSWERS; n += 1)
    client.execute('own', 'large', { letters: 5_000_000 }).catch(() => undefined);
  await until(
    () => responsesRead(readFile),
    (count) => count >= before + LARGE_ANSWERS,
  );
  client.signal('SIGTERM');
  await until(
    () => isAlive(client.pid),
    (alive) => !alive,
    60_000,
  );
}

const WAYS: readonly { readonly way: string; readonly end: (client: StdioClient) => void }[] = [
  { way: 'SIGTERM', end: (client) => client.signal('SIGTERM') },
  { way: 'SIGINT', end: (client) => client.signal('SIGINT') },
  { way: 'the end of its stdin', end: (client) => client.endInput() },
];

describe('the shutdown of the gateway', () => {
  it.each(WAYS)('after $way finishes running calls, stops all child processes and exits with 0', async ({ end }) => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    configure(machine, { one: fixture(['one', '--starts', starts]), two: fixture(['two', '--starts', starts]) });
    const client = await connect(machine);
    const calls = ['one', 'two'].map((server) => client.execute(server, 'sleep', { ms: 700 }));
    const pids = await until(
      () => startsIn(starts),
      (all) => all.length === 2,
    );
    // Each call is running when its server is connected.
    await until(
      () => client.ask('list_mcp_servers'),
      ({ servers }) => servers.every(({ status }: { status: string }) => status === 'connected'),
    );
    end(client);
    expect(await Promise.all(calls)).toEqual(calls.map(() => ({ content: [{ type: 'text', text: 'slept 700' }] })));
    expect(await client.exited).toEqual({ code: 0, signal: null });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(client.stderr).toBe('');
  });

  it('answers and audits calls that wait for a server without a handshake', async () => {
    using machine = makeMachine();
    const mute = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1e6)'] };
    configure(machine, { mute }, SHORT_SHUTDOWN);
    const client = await connect(machine);
    const calls = [1, 2, 3].map(() => client.execute('mute', 'any'));
    await client.ask('list_mcp_servers');
    client.endInput();
    expect(await Promise.all(calls)).toMatchObject(calls.map(() => ({ isError: true })));
    expect(await client.exited).toEqual({ code: 0, signal: null });
    const { total, chains } = await readAudit(machine.path('~/.local/state/portolan/audit'));
    expect({ total, states: chains.map(({ state }) => state.kind) }).toEqual({ total: 3, states: ['ok'] });
  });

  it('refuses new requests', async () => {
    using machine = makeMachine();
    const finish = machine.path('~/finish');
    configure(machine, { own: fixture(['--until', finish]) });
    const client = await connect(machine);
    await client.ask('list_tools', { server: 'own' });
    const running = client.execute('own', 'sleep', { ms: 1 });
    await client.request('ping');
    await beginShutdown(client);
    writeFileSync(finish, '');
    expect(await running).toMatchObject({ content: [{ text: 'slept 1' }] });
    expect(await client.exited).toEqual({ code: 0, signal: null });
  });

  it('is immediate after the second signal', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    configure(machine, { own: fixture(['--starts', starts]) });
    const client = await connect(machine);
    await client.ask('list_tools', { server: 'own' });
    const running = client.execute('own', 'sleep', { ms: 60_000 });
    running.catch(() => undefined);
    await client.request('ping');
    await beginShutdown(client);
    client.signal('SIGTERM');
    expect(await client.exited).toEqual({ code: 1, signal: null });
    await until(
      () => startsIn(starts).filter(isAlive),
      (alive) => alive.length === 0,
    );
  });

  it('starts when stdout is closed', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    configure(machine, { own: fixture(['--starts', starts]) });
    const client = await connect(machine);
    await client.execute('own', 'echo', { text: 'a' });
    client.closeOutput();
    client.send({ jsonrpc: '2.0', id: 'unread', method: 'ping' });
    expect(await client.exited).toEqual({ code: 0, signal: null });
    expect(startsIn(starts).filter(isAlive)).toEqual([]);
  });

  it('does not wait for a client that does not read its responses', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    const { readFile, flags } = recordReads(machine);
    configure(machine, { own: fixture(['--starts', starts, ...flags]) }, SHORT_SHUTDOWN);
    const client = await connect(machine);
    await client.ask('list_tools', { server: 'own' });
    await exitUnread(client, readFile);
    expect(startsIn(starts).filter(isAlive)).toEqual([]);
  });

  it('stops a server that has not responded', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    configure(machine, { mute: fixture(['--mute', '--starts', starts]) }, SHORT_SHUTDOWN);
    const client = await connect(machine);
    const search = client.ask('search_tools', { query: 'anything' });
    search.catch(() => undefined);
    await until(
      () => startsIn(starts),
      (pids) => pids.length === 1,
    );
    client.endInput();
    expect(await client.exited).toEqual({ code: 0, signal: null });
    expect(startsIn(starts).filter(isAlive)).toEqual([]);
  });
});

describe('the shutdown of the bridge', () => {
  it.each(WAYS)(
    'after $way delivers pending responses, exits with 0 and leaves the daemon running',
    async ({ end }) => {
      await using setup = makeDaemonSetup();
      configure(setup.machine, { own: fixture() });
      const client = await setup.client();
      await client.ask('list_tools', { server: 'own' });
      const daemon = await setup.pid();
      const running = client.execute('own', 'sleep', { ms: 700 });
      await client.request('ping');
      end(client);
      expect(await running).toEqual({ content: [{ type: 'text', text: 'slept 700' }] });
      expect(await client.exited).toEqual({ code: 0, signal: null });
      expect({ stderr: client.stderr, daemon: await setup.pid() }).toEqual({ stderr: '', daemon });
    },
  );

  it('refuses new requests, and is immediate after the second signal', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { own: fixture() });
    const client = await setup.client();
    await client.ask('list_tools', { server: 'own' });
    client.execute('own', 'sleep', { ms: 60_000 }).catch(() => undefined);
    await client.request('ping');
    await beginShutdown(client);
    client.signal('SIGTERM');
    expect(await client.exited).toEqual({ code: 1, signal: null });
  });

  it('does not wait for a client that does not read its responses', async () => {
    await using setup = makeDaemonSetup();
    const { readFile, flags } = recordReads(setup.machine);
    configure(setup.machine, { own: fixture(flags) }, SHORT_SHUTDOWN);
    const client = await setup.client();
    await client.ask('list_tools', { server: 'own' });
    await exitUnread(client, readFile);
  });
});
