import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkSocket, daemonSocketPath, makeSocketFolder, socketAt } from './socket-path.js';

const STRANGER = 12_345;
const isRoot = process.geteuid?.() === 0;
const folders: string[] = [];
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A sticky directory like `/tmp`: every user can create files, and none can remove files of others. */
function sharedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-place-'));
  chmodSync(folder, 0o1777);
  folders.push(folder);
  return folder;
}

async function listening(path: string): Promise<void> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  chmodSync(path, 0o600);
}

describe('socketPlace', () => {
  const home = '/home/u';
  it.each([
    { title: 'the flag first', wish: { flag: '/f', env: { MCP_BRIDGE_SOCKET: '/e' }, setting: '/s' }, expected: '/f' },
    { title: 'then the variable', wish: { env: { MCP_BRIDGE_SOCKET: '/e' }, setting: '/s' }, expected: '/e' },
    { title: 'then the setting', wish: { env: { XDG_RUNTIME_DIR: '/r' }, setting: '~/s' }, expected: '/home/u/s' },
    {
      title: 'then the runtime folder of the user',
      wish: { env: { XDG_RUNTIME_DIR: '/r' } },
      expected: '/r/mcp-bridge.sock',
    },
    {
      title: 'no empty value',
      wish: { flag: '', env: { XDG_RUNTIME_DIR: '/r' } },
      expected: '/r/mcp-bridge.sock',
    },
  ])('uses $title', ({ wish, expected }) => {
    expect(daemonSocketPath({ home, ...wish })).toBe(expected);
  });

  it.each(['s.sock', `/${'x'.repeat(108)}`, '/a\0b'])('rejects %j', (flag) => {
    expect(() => daemonSocketPath({ home, env: {}, flag })).toThrow(/absolute|longer/);
  });

  it('uses the shared directory if nothing is set and the name is free', async () => {
    const folder = sharedFolder();
    const usual = join(folder, 'mcp-bridge.sock');
    expect(daemonSocketPath({ home, env: {} }, folder)).toBe(usual);
    await listening(usual);
    expect(daemonSocketPath({ home, env: {} }, folder)).toBe(usual);
  });

  // Only root can create a file of another user.
  it.skipIf(!isRoot)('uses a private directory, permanently, if another user has the name', async () => {
    const folder = sharedFolder();
    const usual = join(folder, 'mcp-bridge.sock');
    const own = join(folder, `mcp-bridge-${process.geteuid?.()}`, 'mcp-bridge.sock');
    writeFileSync(usual, '');
    chownSync(usual, STRANGER, STRANGER);
    // The first caller creates the directory; a later one gets the same path.
    const place = daemonSocketPath({ home, env: {} }, folder);
    expect(place).toBe(own);
    makeSocketFolder(place);
    expect((statSync(join(place, '..')).mode & 0o777).toString(8)).toBe('700');
    expect(checkSocket(place)).toBe('absent');
    await listening(place);
    expect([daemonSocketPath({ home, env: {} }, folder), checkSocket(place)]).toEqual([own, 'there']);
    rmSync(usual);
    expect(daemonSocketPath({ home, env: {} }, folder)).toBe(own);
  });

  it.skipIf(!isRoot)('rejects a private directory that another user created', () => {
    const folder = sharedFolder();
    const mine = join(folder, `mcp-bridge-${process.geteuid?.()}`);
    mkdirSync(mine, { mode: 0o700 });
    chownSync(mine, STRANGER, STRANGER);
    expect(() => checkSocket(join(mine, 'mcp-bridge.sock'))).toThrow('belongs to another user');
  });
});

describe('a link to the socket', () => {
  interface Linked {
    readonly folder: string;
    readonly usual: string;
    readonly target: string;
  }

  async function linked(isListening = true): Promise<Linked> {
    const folder = sharedFolder();
    const [usual, runtime] = [join(folder, 'mcp-bridge.sock'), join(folder, 'run')];
    mkdirSync(runtime, { mode: 0o700 });
    const target = join(runtime, 'mcp-bridge.sock');
    if (isListening) await listening(target);
    symlinkSync(target, usual);
    return { folder, usual, target };
  }

  it('points to the socket of this user', async () => {
    const { folder, usual, target } = await linked();
    expect([socketAt(usual), daemonSocketPath({ home: '/h', env: {} }, folder)]).toEqual([target, target]);
  });

  it('is absent after the daemon has died, and a client without a runtime directory still uses the same path', async () => {
    const { folder, usual, target } = await linked(false);
    expect([checkSocket(usual), daemonSocketPath({ home: '/h', env: {} }, folder)]).toEqual(['absent', target]);
    rmSync(join(target, '..'), { recursive: true });
    expect([checkSocket(usual), daemonSocketPath({ home: '/h', env: {} }, folder)]).toEqual(['absent', usual]);
  });

  it.each<{ title: string; change: (place: Linked) => void; message: string }>([
    {
      title: 'the socket is accessible to other users',
      change: ({ target }) => chmodSync(target, 0o666),
      message: 'is accessible to other users',
    },
    {
      title: 'the folder of the socket is accessible to other users',
      change: ({ target }) => chmodSync(join(target, '..'), 0o777),
      message: 'is accessible to other users',
    },
    {
      title: 'its folder is not sticky',
      change: ({ folder }) => chmodSync(folder, 0o700),
      message: 'is not a socket',
    },
    {
      title: 'it points to another link',
      change: ({ target }) => {
        rmSync(target);
        symlinkSync('elsewhere', target);
      },
      message: 'is not a socket',
    },
  ])('is rejected if $title', async ({ change, message }) => {
    const place = await linked();
    change(place);
    expect(() => socketAt(place.usual)).toThrow(message);
  });

  it.skipIf(!isRoot)('is rejected if another user created the link or the socket', async () => {
    const [byLink, bySocket] = [await linked(), await linked()];
    lchownSync(byLink.usual, STRANGER, STRANGER);
    chownSync(bySocket.target, STRANGER, STRANGER);
    for (const { usual } of [byLink, bySocket]) expect(() => socketAt(usual)).toThrow('belongs to another user');
    expect(daemonSocketPath({ home: '/h', env: {} }, byLink.folder)).toContain(`mcp-bridge-${process.geteuid?.()}`);
  });
});
