import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { configure, fixture, isAlive, start, until } from '../support/client-over-stdio.js';
import { type DaemonSetup, makeDaemonSetup } from '../support/daemon-harness.js';

const startDaemon = (setup: DaemonSetup, ...words: string[]) => setup.run(['daemon', 'start', ...words]);

const HANGS_UP = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/daemon/hangs-up.mjs');

/** A daemon that hangs up when it is asked `method` for the `count`th time; its process ends a while later. */
async function hangsUp({ socket }: DaemonSetup, method: string, count: number): Promise<number> {
  const child = spawn(process.execPath, [HANGS_UP, socket, method, `${count}`, '400'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child.pid ?? expect.unreachable('it did not start');
}

describe('portolan daemon start', () => {
  it('returns when the daemon can be found by others', async () => {
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

  it('fails where HTTP is asked for and the daemon that runs has none', async () => {
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

  it('is content with a daemon that serves the address already, and with no other', async () => {
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

describe('settings that became wrong while a daemon runs', () => {
  it('change nothing for who is there, and end the start of who comes anew, until they are mended', async () => {
    await using setup = makeDaemonSetup();
    const { machine } = setup;
    const settings = '~/.config/portolan/portolan.config.json';
    configure(machine, { own: fixture() }, {});
    await startDaemon(setup); // which returns when all of it stands
    await using there = await setup.client();
    machine.write({ [settings]: '{"timeouts": {"callMs": "x"}}' });
    // Once for the daemon itself and once for the place of the client.
    await until(
      () => setup.run(['daemon', 'logs']),
      ({ stdout }) => stdout.split('the previous one stays in force').length > 2,
    );
    const anew = start(machine, { env: { ...setup.env, PORTOLAN_DAEMON: 'auto' } });
    expect(await anew.exited).toEqual({ code: 2, signal: null });
    expect(anew.stderr).toMatch(/portolan\.config\.json.*timeouts\.callMs/s);
    expect(await there.execute('own', 'echo', { text: 'a' })).toMatchObject({ content: [{ text: 'a' }] });
    machine.write({ [settings]: '{}' });
    const mended = await until(
      async () => {
        const client = start(machine, { env: { ...setup.env, PORTOLAN_DAEMON: 'auto' } });
        return client.initialize().then(
          () => client,
          () => undefined,
        );
      },
      (client) => client !== undefined,
    );
    await mended?.[Symbol.asyncDispose]();
  });
});

describe('portolan daemon stop', () => {
  it('returns when the daemon and its servers are gone, not when nobody can reach them any more', async () => {
    await using setup = makeDaemonSetup();
    const { machine } = setup;
    configure(machine, { slow: fixture(['--lingers', '800', '--starts', machine.path('~/starts')]) });
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

  it('says that there was none to stop', async () => {
    await using setup = makeDaemonSetup();
    expect(await setup.run(['daemon', 'stop'])).toMatchObject({ status: 0, stdout: 'No daemon runs.\n' });
    const { status, stdout } = await setup.run(['daemon', 'stop', '--json']);
    expect([status, JSON.parse(stdout)]).toEqual([0, { running: false, socket: setup.socket }]);
  });

  it.each([
    { title: 'when it is asked to stop', method: 'bridge/stop', count: 1 },
    { title: 'on who looks whether it has stopped', method: 'bridge/status', count: 2 },
  ])('waits for the process of a daemon that hangs up $title', async ({ method, count }) => {
    await using setup = makeDaemonSetup();
    const daemon = await hangsUp(setup, method, count);
    expect(await setup.run(['daemon', 'stop'])).toEqual({
      status: 0,
      stdout: `The daemon, which ran as ${daemon}, has ended.\n`,
      stderr: '',
    });
    expect(isAlive(daemon)).toBe(false);
  });
});

describe('portolan daemon logs', () => {
  it('shows when each daemon began and which process it was, also to a program', async () => {
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
  it('leaves soon after nobody has needed it for timeouts.daemonIdleMs', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, {}, { timeouts: { daemonIdleMs: 600 } });
    const client = await setup.client();
    const pid = (await setup.pid()) ?? 0;
    await client[Symbol.asyncDispose]();
    // Less than the 5 s between two checks of a daemon that may be idle for long.
    await until(
      () => isAlive(pid),
      (alive) => !alive,
      4_000,
    );
  });
});

describe('portolan daemon status', () => {
  it('says that none runs where the daemon is gone before it answers', async () => {
    await using setup = makeDaemonSetup();
    await hangsUp(setup, 'bridge/status', 1);
    expect(await setup.run(['daemon', 'status'])).toEqual({ status: 1, stdout: 'No daemon runs.\n', stderr: '' });
  });
});
