import { chmodSync, chownSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configure, fixture, isAlive, until } from '../support/client-over-stdio.js';
import { type DaemonSetup, makeDaemonSetup } from '../support/daemon-harness.js';

// daemon.test.ts tests other files in place of the socket.

const STRANGER = 12_345;
const isRoot = process.geteuid?.() === 0;

/** A machine whose socket directory has this mode. */
function setupIn(mode: number): DaemonSetup & { readonly folder: string } {
  const setup = makeDaemonSetup();
  configure(setup.machine, { one: fixture() });
  const folder = dirname(setup.socket);
  chmodSync(folder, mode);
  return { ...setup, folder };
}

/** Expects that both ends refuse the socket: the daemon does not listen, the client is served without a daemon. */
async function expectRefusedAtBothEnds(setup: DaemonSetup, why: string): Promise<void> {
  const { status, stderr } = await setup.run(['serve', '--socket', setup.socket]);
  expect([status, stderr]).toEqual([1, expect.stringContaining(why)]);
  await using client = await setup.client();
  expect(await client.ask('list_mcp_servers')).toMatchObject({ servers: [{ name: 'one' }] });
  expect(client.stderr).toContain(why);
}

describe.skipIf(process.platform === 'win32')('the socket of the daemon', { tags: 'S1' }, () => {
  it.each([0o777, 0o770, 0o707, 0o755, 0o750, 0o701].map((mode) => ({ mode, shown: mode.toString(8) })))(
    'is neither created nor used in a folder that others can access: $shown',
    async ({ mode }) => {
      await using setup = setupIn(mode);
      await expectRefusedAtBothEnds(setup, 'is accessible to other users');
      expect(readdirSync(setup.folder)).toEqual([]);
    },
  );

  it.each([0o666, 0o660, 0o606, 0o620].map((mode) => ({ mode, shown: mode.toString(8) })))(
    'is neither used nor replaced if others can access it: $shown',
    async ({ mode }) => {
      await using setup = setupIn(0o700);
      await using listener = await listening(setup.socket, mode);
      await expectRefusedAtBothEnds(setup, 'is accessible to other users');
      expect([listener.connections(), statSync(setup.socket).mode & 0o777]).toEqual([0, mode]);
    },
  );

  it('is created with mode 0600 and used in a sticky directory', async () => {
    await using setup = setupIn(0o1777);
    await using client = await setup.client();
    expect((await client.execute('one', 'echo', { text: 'there' })).content).toMatchObject([{ text: 'there' }]);
    const { clients } = JSON.parse((await setup.run(['clients', '--json'])).stdout);
    expect(clients).toMatchObject([{ pid: client.pid, calls: 1 }]);
    expect((statSync(setup.socket).mode & 0o777).toString(8)).toBe('600');
  });

  it('is replaced by the next daemon of the same user in a sticky directory', async () => {
    await using setup = setupIn(0o1777);
    await setup.run(['daemon', 'start']);
    const pid = (await setup.pid()) ?? expect.unreachable('no daemon runs');
    process.kill(pid, 'SIGKILL');
    await until(
      () => isAlive(pid),
      (alive) => !alive,
    );
    await setup.run(['daemon', 'start']);
    const next = await setup.pid();
    expect([next === pid, next === undefined]).toEqual([false, false]);
  });

  // Only root can create files of another user.
  it.skipIf(!isRoot)(
    'is not touched in a sticky directory if it belongs to another user (skipped without root)',
    async () => {
      await using setup = setupIn(0o1777);
      await using listener = await listening(setup.socket, 0o600);
      chownSync(setup.socket, STRANGER, STRANGER);
      await expectRefusedAtBothEnds(setup, 'belongs to another user');
      expect([listener.connections(), statSync(setup.socket).uid]).toEqual([0, STRANGER]);
    },
  );

  it.skipIf(!isRoot).each([
    { kind: 'private', mode: 0o700 },
    { kind: 'sticky', mode: 0o1777 },
  ])('is neither created nor used in another user’s $kind folder (skipped without root)', async ({ mode }) => {
    await using setup = setupIn(mode);
    chownSync(setup.folder, STRANGER, STRANGER);
    await expectRefusedAtBothEnds(setup, 'belongs to another user');
    expect(readdirSync(setup.folder)).toEqual([]);
  });
});

/** A foreign listener on the socket that counts its connections. */
async function listening(path: string, mode: number) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  chmodSync(path, mode);
  return {
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      rmSync(path, { force: true });
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
