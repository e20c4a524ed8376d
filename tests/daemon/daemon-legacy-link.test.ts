import { lstatSync, readlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configure, fixture, portolan, start, until } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';
import { makeMachine } from '../support/machine.js';

const exists = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

describe.skipIf(process.platform === 'win32')('the link at the documented path of the socket', () => {
  it('connects a client that uses this path, and is removed when the daemon stops', async () => {
    await using setup = makeDaemonSetup('runtime folder');
    const { machine, socket, legacyLink } = setup;
    configure(machine, { own: fixture() });
    await setup.run(['daemon', 'start']);
    expect(readlinkSync(legacyLink)).toBe(socket);
    const pid = await setup.pid();
    const env = { MCP_BRIDGE_SOCKET: legacyLink, PORTOLAN_DAEMON: 'require' };
    await using client = start(machine, { env });
    await client.initialize();
    expect(await client.execute('own', 'echo', { text: 'a' })).toMatchObject({ content: [{ text: 'a' }] });
    const status = await portolan(machine, ['daemon', 'status', '--json'], { MCP_BRIDGE_SOCKET: legacyLink });
    expect(JSON.parse(status.stdout)).toMatchObject({ running: true, pid });
    await setup.run(['daemon', 'stop']);
    expect([exists(legacyLink), exists(socket)]).toEqual([false, false]);
  });

  it('is not created with "legacyLink": false', async () => {
    await using setup = makeDaemonSetup('runtime folder');
    configure(setup.machine, {});
    setup.machine.write({ '~/.config/portolan/portolan.config.json': '{"mcpBridge": {"legacyLink": false}}' });
    expect(await setup.run(['daemon', 'start'])).toMatchObject({ status: 0 });
    expect(exists(setup.legacyLink)).toBe(false);
  });

  it('is not created by a daemon that listens on another path', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, {});
    const env = { ...setup.env, MCP_BRIDGE_LEGACY_LINK: setup.legacyLink };
    expect(await portolan(setup.machine, ['daemon', 'start'], env)).toMatchObject({ status: 0 });
    expect(exists(setup.legacyLink)).toBe(false);
  });

  it('is replaced by the next daemon after the daemon was killed', async () => {
    await using setup = makeDaemonSetup('runtime folder');
    configure(setup.machine, {});
    await setup.run(['daemon', 'start']);
    const killed = (await setup.pid()) ?? expect.unreachable('there is no daemon');
    process.kill(killed, 'SIGKILL');
    await until(
      () => setup.pid(),
      (pid) => pid === undefined,
    );
    expect(exists(setup.legacyLink)).toBe(true);
    await setup.run(['daemon', 'start']);
    expect(readlinkSync(setup.legacyLink)).toBe(setup.socket);
    await setup.run(['daemon', 'stop']);
    expect(exists(setup.legacyLink)).toBe(false);
  });

  it('is replaced by the socket of a daemon that listens on this path, after the previous daemon was killed', async () => {
    await using setup = makeDaemonSetup('runtime folder');
    const { machine, legacyLink } = setup;
    configure(machine, {});
    await setup.run(['daemon', 'start']);
    process.kill((await setup.pid()) ?? expect.unreachable('there is no daemon'), 'SIGKILL');
    const env = { MCP_BRIDGE_SOCKET: legacyLink };
    expect(await portolan(machine, ['daemon', 'start'], env)).toMatchObject({ status: 0 });
    expect(lstatSync(legacyLink).isSocket()).toBe(true);
    await portolan(machine, ['daemon', 'stop'], env);
  });
});

describe('--daemon require without a daemon', () => {
  it('fails immediately, and prints the command that starts a daemon to the client and on stderr', async () => {
    using machine = makeMachine();
    const socket = machine.path('~/run/none.sock');
    const command = `portolan daemon start --mcp-bridge-socket ${socket}`;
    await using client = start(machine, { env: { MCP_BRIDGE_SOCKET: socket, PORTOLAN_DAEMON: 'require' } });
    const began = performance.now();
    await expect(client.initialize()).rejects.toThrow(`no daemon listens on ${socket}`);
    expect(await client.exited).toEqual({ code: 1, signal: null });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(client.stderr).toContain(command);
  });
});
