import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { configure, fixture, isAlive, start, until } from '../support/client-over-stdio.js';
import { type DaemonSetup, makeDaemonSetup } from '../support/daemon-harness.js';

const startDaemon = (setup: DaemonSetup, ...words: string[]) => setup.run(['daemon', 'start', ...words]);

const CLOSING_DAEMON = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/daemon/closing-daemon.mjs');

/** A daemon that closes the connection on the request number `count` for `method`; its process exits later. */
async function startClosingDaemon({ socket }: DaemonSetup, method: string, count: number): Promise<number> {
  const child = spawn(process.execPath, [CLOSING_DAEMON, socket, method, `${count}`, '400'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child.pid ?? expect.unreachable('the process did not start');
}

describe('portolan daemon start', () => {
  it('returns when the daemon is announced', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, {});
    const { status, stdout } = await startDaemon(setup, '--json');
    expect([status, JSON.parse(stdout)]).toEqual([
      0,
      { running: true, pid: await setup.pid(), socket: setup.socket, announced: true },
    ]);
    const { servers } = JSON.parse((await setup.run(['ps', '--json'])).stdout);
    expect(servers).toMatchObject([
      {
        id: `portolan_${await setup.pid()}`,
        transports: [{ type: 'socket', path: setup.socket }],
        tools: expect.arrayContaining(['search_tools', 'execute_tool']),
      },
    ]);
  });

  it('fails if --http is given and the running daemon has no HTTP', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, {});
    await startDaemon(setup);
    const pid = await setup.pid();
    const error = `The daemon runs as ${pid} without HTTP: portolan daemon stop, then start it again with --http.`;
    expect(await startDaemon(setup, '--http', '127.0.0.1:0')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `${error}\n`,
    });
    const asJson = await startDaemon(setup, '--http', '127.0.0.1:0', '--json');
    expect([asJson.status, JSON.parse(asJson.stdout)]).toEqual([
      1,
      { running: true, pid, socket: setup.socket, announced: true, error },
    ]);
    expect(await startDaemon(setup)).toMatchObject({ status: 0 });
  });

  it('succeeds if the running daemon serves the address of --http, and fails for another address', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, {});
    const { http, pid } = JSON.parse((await startDaemon(setup, '--http', '127.0.0.1:0', '--json')).stdout);
    const { port } = new URL(http);
    for (const same of [`127.0.0.1:${port}`, port, '127.0.0.1:0'])
      expect(await startDaemon(setup, '--http', same)).toMatchObject({ status: 0, stderr: '' });
    expect(await startDaemon(setup, '--http', `localhost:${port}`)).toMatchObject({
      status: 1,
      stderr: `The daemon runs as ${pid} with HTTP on ${http}: portolan daemon stop, then start it again with --http localhost:${port}.\n`,
    });
  });
});

describe('settings that become invalid while a daemon runs', () => {
  it('do not affect connected clients, but reject new ones until they are corrected', async () => {
    await using setup = makeDaemonSetup();
    const { machine } = setup;
    const settings = '~/.config/portolan/portolan.config.json';
    configure(machine, { own: fixture() }, {});
    await startDaemon(setup); // returns when the daemon is ready
    await using connected = await setup.client();
    machine.write({ [settings]: '{"timeouts": {"callMs": "x"}}' });
    // One line for the daemon itself and one for the workspace of the client.
    await until(
      () => setup.run(['daemon', 'logs']),
      ({ stdout }) => stdout.split('the previous one stays in force').length > 2,
    );
    const rejected = start(machine, { env: { ...setup.env, PORTOLAN_DAEMON: 'auto' } });
    expect(await rejected.exited).toEqual({ code: 2, signal: null });
    expect(rejected.stderr).toMatch(/portolan\.config\.json.*timeouts\.callMs/s);
    expect(await connected.execute('own', 'echo', { text: 'a' })).toMatchObject({ content: [{ text: 'a' }] });
    machine.write({ [settings]: '{}' });
    const accepted = await until(
      async () => {
        const client = start(machine, { env: { ...setup.env, PORTOLAN_DAEMON: 'auto' } });
        return client.initialize().then(
          () => client,
          () => undefined,
        );
      },
      (client) => client !== undefined,
    );
    await accepted?.[Symbol.asyncDispose]();
  });
});

describe('portolan daemon stop', () => {
  it('returns after the processes of the daemon and its servers have exited', async () => {
    await using setup = makeDaemonSetup();
    const { machine } = setup;
    configure(machine, { slow: fixture(['--exit-delay', '800', '--starts', machine.path('~/starts')]) });
    const client = await setup.client();
    await client.execute('slow', 'echo', { text: 'a' });
    await client[Symbol.asyncDispose]();
    const daemon = (await setup.pid()) ?? expect.unreachable('there is no daemon');
    const server = Number(readFileSync(machine.path('~/starts'), 'utf8'));
    expect(await setup.run(['daemon', 'stop'])).toEqual({
      status: 0,
      stdout: `The daemon, which ran as ${daemon}, has ended.\n`,
      stderr: '',
    });
    expect([daemon, server].filter(isAlive)).toEqual([]);
  });

  it('reports that no daemon runs', async () => {
    await using setup = makeDaemonSetup();
    expect(await setup.run(['daemon', 'stop'])).toMatchObject({ status: 0, stdout: 'No daemon runs.\n' });
    const { status, stdout } = await setup.run(['daemon', 'stop', '--json']);
    expect([status, JSON.parse(stdout)]).toEqual([0, { running: false, socket: setup.socket }]);
  });

  it.each([
    { title: 'on bridge/stop', method: 'bridge/stop', count: 1 },
    { title: 'on the bridge/status after it', method: 'bridge/status', count: 2 },
  ])('waits for the process of a daemon that closes the connection $title', async ({ method, count }) => {
    await using setup = makeDaemonSetup();
    const daemon = await startClosingDaemon(setup, method, count);
    expect(await setup.run(['daemon', 'stop'])).toEqual({
      status: 0,
      stdout: `The daemon, which ran as ${daemon}, has ended.\n`,
      stderr: '',
    });
    expect(isAlive(daemon)).toBe(false);
  });
});

describe('portolan daemon logs', () => {
  it('prints the start time and pid of each daemon, also with --json', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, {});
    await startDaemon(setup);
    const began = {
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      level: 'info',
      message: `portolan listens on ${setup.socket}`,
      pid: await setup.pid(),
    };
    const { stdout } = await setup.run(['daemon', 'logs']);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([began]);
    const { path, lines } = JSON.parse((await setup.run(['daemon', 'logs', '--json'])).stdout);
    expect([path, lines.map((line: string) => JSON.parse(line))]).toEqual([
      expect.stringMatching(/daemon\.log$/),
      [began],
    ]);
  });
});

describe('a daemon that a client started', () => {
  it('exits after timeouts.daemonIdleMs without a client', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, {}, { timeouts: { daemonIdleMs: 600 } });
    const client = await setup.client();
    const pid = (await setup.pid()) ?? 0;
    await client[Symbol.asyncDispose]();
    // Less than the 5 s between two checks with a long daemonIdleMs.
    await until(
      () => isAlive(pid),
      (alive) => !alive,
      4_000,
    );
  });
});

describe('portolan daemon status', () => {
  it('reports that no daemon runs if the daemon closes the connection before its response', async () => {
    await using setup = makeDaemonSetup();
    await startClosingDaemon(setup, 'bridge/status', 1);
    expect(await setup.run(['daemon', 'status'])).toEqual({ status: 1, stdout: 'No daemon runs.\n', stderr: '' });
  });
});
