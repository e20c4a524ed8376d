import { chmodSync, chownSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configure, fixture, isAlive, until } from '../support/client-over-stdio.js';
import { type DaemonSetup, makeDaemonSetup } from '../support/daemon-harness.js';

// What else may lie in the place of the socket is in daemon.test.ts.

const STRANGER = 12_345;
const isRoot = process.geteuid?.() === 0;

/** A place for a daemon in a folder of this mode. */
function setupIn(mode: number): DaemonSetup & { readonly folder: string } {
  const setup = makeDaemonSetup();
  configure(setup.machine, { one: fixture() });
  const folder = dirname(setup.socket);
  chmodSync(folder, mode);
  return { ...setup, folder };
}

/** How both ends refuse the place: one does not listen there, the other is served without a daemon. */
async function refusedAtBothEnds(setup: DaemonSetup, why: string): Promise<void> {
  const { status, stderr } = await setup.run(['serve', '--socket', setup.socket]);
  expect([status, stderr]).toEqual([1, expect.stringContaining(why)]);
  await using client = await setup.client();
  expect(await client.ask('list_mcp_servers')).toMatchObject({ servers: [{ name: 'one' }] });
  expect(client.stderr).toContain(why);
}

describe.skipIf(process.platform === 'win32')('the socket of the daemon', { tags: 'S1' }, () => {
  it.each([0o777, 0o770, 0o707, 0o755, 0o750, 0o701].map((mode) => ({ mode, shown: mode.toString(8) })))(
    'is not made in a folder that is open to others, and not looked for there: $shown',
    async ({ mode }) => {
      await using setup = setupIn(mode);
      await refusedAtBothEnds(setup, 'is accessible to other users');
      expect(readdirSync(setup.folder)).toEqual([]);
    },
  );

  it.each([0o666, 0o660, 0o606, 0o620].map((mode) => ({ mode, shown: mode.toString(8) })))(
    'is neither used nor replaced where others can use it: $shown',
    async ({ mode }) => {
      await using setup = setupIn(0o700);
      await using heard = await listening(setup.socket, mode);
      await refusedAtBothEnds(setup, 'is accessible to other users');
      expect([heard.connections(), statSync(setup.socket).mode & 0o777]).toEqual([0, mode]);
    },
  );

  it('is at home in a sticky folder, closed to others, for both ends', async () => {
    await using setup = setupIn(0o1777);
    await using client = await setup.client();
    expect((await client.execute('one', 'echo', { text: 'there' })).content).toMatchObject([{ text: 'there' }]);
    const { clients } = JSON.parse((await setup.run(['clients', '--json'])).stdout);
    expect(clients).toMatchObject([{ pid: client.pid, calls: 1 }]);
    expect((statSync(setup.socket).mode & 0o777).toString(8)).toBe('600');
  });

  it('is replaced in a sticky folder by the next daemon of the same user', async () => {
    await using setup = setupIn(0o1777);
    await setup.run(['daemon', 'start']);
    const pid = (await setup.pid()) ?? expect.unreachable('no daemon came');
    process.kill(pid, 'SIGKILL');
    await until(
      () => isAlive(pid),
      (alive) => !alive,
    );
    await setup.run(['daemon', 'start']);
    const next = await setup.pid();
    expect([next === pid, next === undefined]).toEqual([false, false]);
  });

  // Only root can make another user's files.
  it.skipIf(!isRoot)('is left alone in a sticky folder where it is another user’s (skipped without root)', async () => {
    await using setup = setupIn(0o1777);
    await using heard = await listening(setup.socket, 0o600);
    chownSync(setup.socket, STRANGER, STRANGER);
    await refusedAtBothEnds(setup, 'belongs to another user');
    expect([heard.connections(), statSync(setup.socket).uid]).toEqual([0, STRANGER]);
  });

  it.skipIf(!isRoot).each([
    { kind: 'private', mode: 0o700 },
    { kind: 'sticky', mode: 0o1777 },
  ])(
    'is not made in another user’s $kind folder, and not looked for there (skipped without root)',
    async ({ mode }) => {
      await using setup = setupIn(mode);
      chownSync(setup.folder, STRANGER, STRANGER);
      await refusedAtBothEnds(setup, 'belongs to another user');
      expect(readdirSync(setup.folder)).toEqual([]);
    },
  );
});

/** Somebody else who listens there, and how often anybody came. */
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
