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

/** Where a test waits for the limit of the shutdown, this is the limit. */
const SHORT_SHUTDOWN = { timeouts: { shutdownMs: 500 } };
const LARGE_ANSWERS = 3;

/** Each line is the id of an answer that the process behind the fixture has read completely. */
const answersTaken = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0);

/** The flag that makes the fixture record which answers were read, and the file. */
function recordingTaken(machine: Machine): { readonly taken: string; readonly flags: readonly string[] } {
  const taken = machine.path('~/taken');
  return { taken, flags: ['--taken', taken] };
}

/** It has begun to end when it refuses what is asked. */
async function toldToEnd(client: StdioClient): Promise<void> {
  client.signal('SIGTERM');
  const asking = until(
    () => client.request('ping'),
    () => false,
  );
  await expect(asking).rejects.toMatchObject({ code: -32603 });
}

/** Waits until it is gone, although nobody takes what was asked of it: a drain and a last moment later. */
async function endsUnread(client: StdioClient, taken: string): Promise<void> {
  const before = answersTaken(taken);
  client.stopReading();
  for (let n = 0; n < LARGE_ANSWERS; n += 1)
    client.execute('own', 'large', { letters: 5_000_000 }).catch(() => undefined);
  await until(
    () => answersTaken(taken),
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

describe('the end of the gateway', () => {
  it.each(WAYS)('by $way lets running calls end, leaves no child and exits with 0', async ({ end }) => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    configure(machine, { one: fixture(['one', '--starts', starts]), two: fixture(['two', '--starts', starts]) });
    const client = await connect(machine);
    const calls = ['one', 'two'].map((server) => client.execute(server, 'sleep', { ms: 700 }));
    const pids = await until(
      () => startsIn(starts),
      (all) => all.length === 2,
    );
    // Both are in the middle of a call once they are connected.
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

  it('answers also who waits for a server that never says hello, and writes it down', async () => {
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

  it('refuses what is asked after it began', async () => {
    using machine = makeMachine();
    const finish = machine.path('~/finish');
    configure(machine, { own: fixture(['--until', finish]) });
    const client = await connect(machine);
    await client.ask('list_tools', { server: 'own' });
    const running = client.execute('own', 'sleep', { ms: 1 });
    await client.request('ping');
    await toldToEnd(client);
    writeFileSync(finish, '');
    expect(await running).toMatchObject({ content: [{ text: 'slept 1' }] });
    expect(await client.exited).toEqual({ code: 0, signal: null });
  });

  it('comes at once with the second signal', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    configure(machine, { own: fixture(['--starts', starts]) });
    const client = await connect(machine);
    await client.ask('list_tools', { server: 'own' });
    const running = client.execute('own', 'sleep', { ms: 60_000 });
    running.catch(() => undefined);
    await client.request('ping');
    await toldToEnd(client);
    client.signal('SIGTERM');
    expect(await client.exited).toEqual({ code: 1, signal: null });
    await until(
      () => startsIn(starts).filter(isAlive),
      (alive) => alive.length === 0,
    );
  });

  it('comes when nobody reads what it says any more', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    configure(machine, { own: fixture(['--starts', starts]) });
    const client = await connect(machine);
    await client.execute('own', 'echo', { text: 'a' });
    client.closeOutput();
    client.send({ jsonrpc: '2.0', id: 'unheard', method: 'ping' });
    expect(await client.exited).toEqual({ code: 0, signal: null });
    expect(startsIn(starts).filter(isAlive)).toEqual([]);
  });

  it('does not wait for a client that takes nothing of what it asked for', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    const { taken, flags } = recordingTaken(machine);
    configure(machine, { own: fixture(['--starts', starts, ...flags]) }, SHORT_SHUTDOWN);
    const client = await connect(machine);
    await client.ask('list_tools', { server: 'own' });
    await endsUnread(client, taken);
    expect(startsIn(starts).filter(isAlive)).toEqual([]);
  });

  it('leaves nothing of a call that was never answered', async () => {
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

describe('the end of the pipe to a daemon', () => {
  it.each(WAYS)('by $way brings what the daemon still answers, exits with 0 and leaves the daemon', async ({ end }) => {
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
  });

  it('refuses what is asked after it began, and comes at once with the second signal', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { own: fixture() });
    const client = await setup.client();
    await client.ask('list_tools', { server: 'own' });
    client.execute('own', 'sleep', { ms: 60_000 }).catch(() => undefined);
    await client.request('ping');
    await toldToEnd(client);
    client.signal('SIGTERM');
    expect(await client.exited).toEqual({ code: 1, signal: null });
  });

  it('does not wait for a client that takes nothing of what it asked for', async () => {
    await using setup = makeDaemonSetup();
    const { taken, flags } = recordingTaken(setup.machine);
    configure(setup.machine, { own: fixture(flags) }, SHORT_SHUTDOWN);
    const client = await setup.client();
    await client.ask('list_tools', { server: 'own' });
    await endsUnread(client, taken);
  });
});
