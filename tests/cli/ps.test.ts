import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { announce } from '../support/announced.js';
import { configure, fixture, startsIn, until } from '../support/client-over-stdio.js';
import { type DaemonSetup, makeDaemonSetup } from '../support/daemon-harness.js';

const ps = async (setup: DaemonSetup, ...words: string[]) =>
  JSON.parse((await setup.run(['ps', '--json', ...words])).stdout);

/** The proportional set size of a process, in bytes. */
function proportionalMemory(pid: number): number {
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')) ?? [];
  return Number(kilobytes) * 1024;
}

describe('portolan ps with a daemon', () => {
  it('shows the users and memory of each process, and how much sharing saves', async () => {
    await using setup = makeDaemonSetup();
    const { machine } = setup;
    const [starts, other] = [join(machine.home, 'starts'), join(machine.home, 'other')];
    mkdirSync(other);
    configure(machine, { one: fixture(['--starts', starts]), two: fixture(['two']), idle: fixture(['idle']) });
    await using a = await setup.client({ env: { MCP_CLIENT_ID: 'ay' } });
    await using b = await setup.client({ cwd: other, env: { MCP_CLIENT_ID: 'bee' } });
    await using _c = await setup.client({ env: { MCP_CLIENT_ID: 'sea' } });
    for (const client of [a, b, b]) await client.execute('one', 'echo', { text: 'x' });
    await a.execute('two', 'echo', { text: 'x' });
    // The daemon announces itself after its first client has connected.
    const { servers, processes, ...rest } = await until(
      () => ps(setup),
      (printed) => printed.servers.length > 0,
    );
    const [one] = processes.filter(({ server }: { server: string }) => server === 'one');
    expect(rest).toEqual({});
    expect(processes.map(({ server }: { server: string }) => server).toSorted()).toEqual(['one', 'two']);
    expect(one).toEqual({
      server: 'one',
      state: 'connected',
      pid: startsIn(starts)[0],
      era: 'legacy',
      users: [
        { id: 'ay', name: 'test' },
        { id: 'bee', name: 'test' },
      ],
      workspaces: 2,
      calls: 3,
      ...(process.platform !== 'win32' && {
        memoryBytes: expect.any(Number),
        savedBytes: one.memoryBytes,
      }),
      savedProcesses: 1,
    });
    expect(processes.find(({ server }: { server: string }) => server === 'two')).toMatchObject({
      users: [{ id: 'ay' }],
      savedProcesses: 0,
    });
    // The daemon has announced itself in the registry of the user.
    expect(servers).toMatchObject([{ id: `portolan_${await setup.pid()}`, transports: [{ path: setup.socket }] }]);
    const { stdout } = await setup.run(['ps']);
    expect(stdout).toMatch(/^one +\d+ +connected +test \(ay\), test \(bee\) +3 +[\d.]+ MB +[\d.]+ MB$/m);
    expect(stdout).toMatch(
      /^Sharing saves 1 process and about [\d.]+ MB: without it each client would run its own\.$/m,
    );
  });

  it.runIf(process.platform === 'linux')('counts the memory of all descendants of a server', async () => {
    await using setup = makeDaemonSetup();
    const { machine } = setup;
    const starts = join(machine.home, 'starts');
    const { command, args } = fixture(['--starts', starts]);
    // The shell stays the parent of the server, as `npx` does.
    configure(machine, { one: { command: 'sh', args: ['-c', '"$0" "$@"; exit 0', command, ...args] } });
    await using client = await setup.client();
    await client.execute('one', 'echo', { text: 'x' });
    const [leader] = (await ps(setup)).processes;
    const [server = 0] = startsIn(starts);
    expect(leader.pid).not.toBe(server);
    expect(leader.memoryBytes).toBeGreaterThan(proportionalMemory(server) * 0.8);
    expect(leader.memoryBytes).toBeLessThan(proportionalMemory(server) * 1.5 + 16 * 2 ** 20);
  });

  it('removes a user that has disconnected', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { one: fixture() });
    await using a = await setup.client({ env: { MCP_CLIENT_ID: 'ay' } });
    {
      await using b = await setup.client({ env: { MCP_CLIENT_ID: 'bee' } });
      for (const client of [a, b]) await client.execute('one', 'echo', { text: 'x' });
      expect((await ps(setup)).processes).toMatchObject([{ users: [{ id: 'ay' }, { id: 'bee' }] }]);
    }
    await until(
      async () => (await ps(setup)).processes[0].users.map(({ id }: { id: string }) => id),
      (ids) => ids.join() === 'ay',
    );
  });

  it('reports that no daemon runs, and lists announced servers', async () => {
    await using setup = makeDaemonSetup();
    await using docs = await announce(setup.machine, ['--name', 'docs', '--url', 'http://127.0.0.1:9/'], setup.env);
    const { status, stdout } = await setup.run(['ps']);
    expect(status).toBe(0);
    expect(stdout).toContain(`docs_${docs.pid}`);
    expect(stdout).toContain('No daemon runs, so no server is shared between clients: portolan daemon start');
    expect(await ps(setup)).toMatchObject({ servers: [{ name: 'docs' }], processes: [] });
  });
});

describe('the daemon in the registry', () => {
  it('announces itself for the user while it listens, with its HTTP URL, and lists running servers at /servers', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, {});
    await setup.run(['daemon', 'start', '--http', '127.0.0.1:0']);
    const { http, pid } = JSON.parse((await setup.run(['daemon', 'status', '--json'])).stdout);
    const transports = [
      { type: 'socket', path: setup.socket },
      { type: 'http', url: http },
    ];
    expect((await ps(setup, '--user')).servers).toMatchObject([
      { id: `portolan_${pid}`, pid, http: { enabled: true, url: http }, transports },
    ]);
    expect(await (await fetch(new URL('/servers', http))).json()).toMatchObject({
      servers: [{ id: `portolan_${pid}`, transports: [{ type: 'socket' }, { type: 'http', url: http }] }],
    });
    await setup.run(['daemon', 'stop']);
    expect((await ps(setup, '--user')).servers).toEqual([]);
  });
});
