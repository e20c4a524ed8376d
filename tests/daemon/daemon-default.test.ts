import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configure, fixture, PROGRAM, StdioClient, startsIn, until } from '../support/client-over-stdio.js';
import { type DaemonSetup, killDaemon, makeDaemonSetup } from '../support/daemon-harness.js';

const firstText = (result: { readonly content: readonly Record<string, unknown>[] }) => result.content[0]?.text;
const RECONNECT = { mcpBridge: { reconnect: { maxAttempts: 1, initialDelayMs: 10 } } };

/** A client that starts the program without any option for the daemon. */
async function plainClient({ machine, env }: DaemonSetup, program = PROGRAM): Promise<StdioClient> {
  const { home, project: cwd } = machine;
  const client = new StdioClient({ command: process.execPath, args: [program], cwd, env: { HOME: home, ...env } });
  await client.initialize();
  return client;
}

/** Waits until the client has detected the loss. A call before that would be in flight and may fail. */
async function lossDetected(client: StdioClient): Promise<void> {
  await until(
    () => client.stderr,
    (text) => text.includes('the connection to the daemon was lost'),
  );
}

describe('a client without options for the daemon', () => {
  it('starts a daemon, and shares its servers with the next client', async () => {
    await using setup = makeDaemonSetup('runtime folder');
    const starts = join(setup.machine.home, 'starts');
    configure(setup.machine, { one: fixture(['--starts', starts]) });
    await using a = await plainClient(setup);
    await using b = await plainClient(setup);
    expect(firstText(await a.execute('one', 'echo', { text: 'from a' }))).toBe('from a');
    expect(firstText(await b.execute('one', 'echo', { text: 'from b' }))).toBe('from b');
    expect(startsIn(starts)).toHaveLength(1);
    const { clients } = JSON.parse((await setup.run(['clients', '--json'])).stdout);
    expect(clients.map(({ pid }: { pid: number }) => pid)).toEqual([a.pid, b.pid]);
    expect([a.stderr, b.stderr]).toEqual(['', '']);
  });

  it('shares one daemon with nine others that start at the same time', async () => {
    await using setup = makeDaemonSetup('runtime folder');
    configure(setup.machine, { one: fixture() });
    const clients = await Promise.all(Array.from({ length: 10 }, () => plainClient(setup)));
    const { clients: listed } = JSON.parse((await setup.run(['clients', '--json'])).stdout);
    expect(listed).toHaveLength(10);
    await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
    const daemons = readdirSync('/proc').filter((pid) => isDaemonOf(pid, setup.socket));
    expect(daemons).toEqual([String(await setup.pid())]);
  });

  it('runs its own gateway within seconds if no daemon can be started', async () => {
    await using setup = makeDaemonSetup('runtime folder');
    configure(setup.machine, { one: fixture() });
    writeFileSync(setup.socket, 'a file instead of a socket');
    const began = performance.now();
    await using client = await plainClient(setup);
    // 3 s for the daemon, and the rest for a busy machine.
    expect(performance.now() - began).toBeLessThan(8_000);
    expect(firstText(await client.execute('one', 'echo', { text: 'alone' }))).toBe('alone');
    expect(client.stderr).toContain('is not a socket');
    rmSync(setup.socket);
  });

  it('runs its own gateway within seconds if the daemon does not respond', async () => {
    await using setup = makeDaemonSetup('runtime folder');
    configure(setup.machine, { one: fixture() });
    await setup.run(['daemon', 'start']);
    const pid = (await setup.pid()) ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      const began = performance.now();
      await using client = await plainClient(setup);
      expect(performance.now() - began).toBeLessThan(8_000);
      expect(firstText(await client.execute('one', 'echo', { text: 'alone' }))).toBe('alone');
      expect(client.stderr).toContain('no daemon serves this client');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it.skipIf(process.geteuid?.() === 0)(
    'runs its own gateway if the directory of the socket is not writable',
    async () => {
      await using setup = makeDaemonSetup('runtime folder');
      configure(setup.machine, { one: fixture() });
      chmodSync(dirname(setup.socket), 0o500);
      await using client = await plainClient(setup);
      expect(firstText(await client.execute('one', 'echo', { text: 'alone' }))).toBe('alone');
      chmodSync(dirname(setup.socket), 0o700);
    },
  );

  it('runs its own gateway with "autoConnect": false', async () => {
    await using setup = makeDaemonSetup('runtime folder');
    configure(setup.machine, { one: fixture() }, { mcpBridge: { autoConnect: false } });
    await using client = await plainClient(setup);
    expect(firstText(await client.execute('one', 'echo', { text: 'alone' }))).toBe('alone');
    expect(await setup.pid()).toBeUndefined();
  });
});

describe('a client that cannot reconnect to a daemon', () => {
  it('continues with a gateway in its own process, without initializing again', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { one: fixture() }, RECONNECT);
    await using client = await setup.client();
    await client.request('logging/setLevel', { level: 'error' });
    await client.execute('one', 'echo', { text: 'warm' });
    // Before the kill: otherwise the client could start another daemon in between.
    await killDaemon(setup, () => {
      writeFileSync(`${setup.socket}.file`, 'a file instead of a socket');
      renameSync(`${setup.socket}.file`, setup.socket);
    });
    await lossDetected(client);
    expect(firstText(await client.execute('one', 'echo', { text: 'alone' }))).toBe('alone');
    expect(firstText(await client.execute('one', 'echo', { text: 'still' }))).toBe('still');
    expect(client.stderr).toContain('this process now serves the client itself');
    expect(client.unmatched).toEqual([]);
    rmSync(setup.socket);
    expect(await setup.pid()).toBeUndefined();
    client.endInput();
    expect(await client.exited).toEqual({ code: 0, signal: null });
  });

  it('receives an error for each request with --daemon require, until a daemon runs again', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { one: fixture() }, RECONNECT);
    await setup.run(['daemon', 'start']);
    await using client = await setup.client({ mode: 'require' });
    await killDaemon(setup);
    await lossDetected(client);
    for (const text of ['a', 'b']) {
      const refused = client.execute('one', 'echo', { text });
      await expect(refused).rejects.toThrow('no gateway serves this client: no daemon runs, and none could be started');
    }
    await setup.run(['daemon', 'start']);
    expect(firstText(await client.execute('one', 'echo', { text: 'back' }))).toBe('back');
  });
});

describe('a client of another version than the daemon', () => {
  it('replaces an older daemon with its own version, which then serves all clients', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { one: fixture() });
    const older = olderProgram(join(setup.machine.home, 'older'));
    await using oldClient = await plainClient(setup, older);
    const before = await setup.pid();
    expect(await versionOf(setup)).toBe('0.0.1');
    await using newClient = await plainClient(setup);
    expect(firstText(await newClient.execute('one', 'echo', { text: 'new' }))).toBe('new');
    expect(firstText(await oldClient.execute('one', 'echo', { text: 'old' }))).toBe('old');
    const after = await setup.pid();
    expect(after).not.toBe(before);
    expect(await versionOf(setup)).not.toBe('0.0.1');
    // A client that is older than the daemon does not replace it.
    await using another = await plainClient(setup, older);
    expect(firstText(await another.execute('one', 'echo', { text: 'older' }))).toBe('older');
    expect(await setup.pid()).toBe(after);
  });

  it('is served by the new version after the program of the daemon was replaced', async () => {
    await using setup = makeDaemonSetup();
    // A daemon checks its program twice within this time.
    configure(setup.machine, { one: fixture() }, { timeouts: { daemonIdleMs: 2_000 } });
    const program = olderProgram(join(setup.machine.home, 'older'));
    await using client = await plainClient(setup, program);
    await client.execute('one', 'echo', { text: 'before' });
    const before = await setup.pid();
    for (const path of scriptsIn(dirname(program))) replaceVersion(path, '0.0.1', '0.0.2');
    await until(
      () => versionOf(setup).catch(() => undefined),
      (version) => version === '0.0.2',
      30_000,
    );
    expect(firstText(await client.execute('one', 'echo', { text: 'after' }))).toBe('after');
    expect(await setup.pid()).not.toBe(before);
    expect(client.unmatched).toEqual([]);
  }, 60_000);

  it('does not replace a daemon that was started by hand, and prints a warning', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { one: fixture() });
    const { home, project: cwd } = setup.machine;
    const args = [olderProgram(join(home, 'older')), 'serve', '--socket', setup.socket];
    const daemon = new StdioClient({ command: process.execPath, args, cwd, env: { HOME: home } });
    await until(
      () => daemon.stderr,
      (text) => text.includes('listens'),
    );
    await using client = await plainClient(setup);
    expect(firstText(await client.execute('one', 'echo', { text: 'x' }))).toBe('x');
    expect(client.stderr).toContain('the daemon is older than this client');
    expect(await setup.pid()).toBe(daemon.pid);
    daemon.signal('SIGTERM');
    await daemon.exited;
  });
});

function isDaemonOf(pid: string, socket: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(socket);
  } catch {
    return false;
  }
}

async function versionOf(setup: DaemonSetup): Promise<unknown> {
  const { client, socket } = await setup.direct();
  const { result } = await client.request('bridge/status');
  socket.destroy();
  return (result as { version?: unknown }).version;
}

/** A copy of the program with version 0.0.1. */
function olderProgram(folder: string): string {
  const root = join(dirname(PROGRAM), '..');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  mkdirSync(folder);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const dist = join(folder, 'dist');
  cpSync(dirname(PROGRAM), dist, {
    recursive: true,
    filter: (path) => !/[\\/](?:types|examples)(?:[\\/]|$)/.test(path),
  });
  for (const path of scriptsIn(dist)) replaceVersion(path, version, '0.0.1');
  return join(dist, 'cli.cjs');
}

function scriptsIn(dist: string): readonly string[] {
  const all = [...readdirSync(dist), ...readdirSync(join(dist, 'chunks')).map((one) => join('chunks', one))];
  return all.filter((name) => /\.c?js$/.test(name)).map((name) => join(dist, name));
}

/** Replaces the file atomically, as an installation does. */
function replaceVersion(path: string, before: string, after: string): void {
  writeFileSync(`${path}.new`, readFileSync(path, 'utf8').replaceAll(`"${before}"`, `"${after}"`), { mode: 0o755 });
  renameSync(`${path}.new`, path);
}
