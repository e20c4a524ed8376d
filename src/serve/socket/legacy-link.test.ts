import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Log, silentLog } from '../../base/index.js';
import { LegacyLink } from './legacy-link.js';
import { type ListeningSocket, listenSocket } from './listen-socket.js';

const STRANGER = 12_345;
const isRoot = process.geteuid?.() === 0;
const folders: string[] = [];
const sockets: ListeningSocket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Place {
  /** Stands in for `/tmp/mcp-bridge.sock`. */
  readonly path: string;
  readonly socket: string;
  link(more?: { readonly isServing?: () => boolean; readonly log?: Log }): LegacyLink;
  /** A second daemon of the same user in a runtime directory of its own. */
  other(): Promise<{ readonly socket: string; readonly listening: ListeningSocket }>;
}

async function place(mode = 0o1777): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-link-'));
  folders.push(folder);
  const [shared, runtime] = [join(folder, 'tmp'), join(folder, 'run')];
  mkdirSync(shared);
  chmodSync(shared, mode);
  const listen = async (name: string) => {
    const path = join(name, 'mcp-bridge.sock');
    const listening = await listenSocket(path, (socket) => socket.end());
    sockets.push(listening);
    return { socket: path, listening };
  };
  const { socket } = await listen(runtime);
  const path = join(shared, 'mcp-bridge.sock');
  return {
    path,
    socket,
    link: (more = {}) => new LegacyLink({ path, socket, isServing: () => true, log: silentLog, ...more }),
    other: () => listen(join(folder, 'run-2')),
  };
}

const exists = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

describe.skipIf(process.platform === 'win32')('LegacyLink', () => {
  it('makes the link in a sticky directory and removes it at the end', async () => {
    const { path, socket, link } = await place();
    {
      using made = link();
      expect([await made.refresh(true), readlinkSync(path)]).toEqual(['ours', socket]);
    }
    expect(exists(path)).toBe(false);
  });

  it('makes a link that was deleted again, and removes it when it is no longer wanted', async () => {
    const { path, link } = await place();
    using made = link();
    await made.refresh(true);
    rmSync(path);
    expect([await made.refresh(true), exists(path)]).toEqual(['ours', true]);
    expect([await made.refresh(false), exists(path)]).toEqual(['off', false]);
  });

  it.each([
    { title: 'is not sticky', mode: 0o777 },
    { title: 'is private', mode: 0o700 },
  ])('makes no link in a folder that $title', async ({ mode }) => {
    const { path, link } = await place(mode);
    using made = link();
    expect([await made.refresh(true), exists(path)]).toEqual(['refused', false]);
  });

  it('leaves a file of this user alone, and logs that once', async () => {
    const { path, link } = await place();
    writeFileSync(path, 'mine');
    const logged: string[] = [];
    {
      using made = link({ log: (_level, message) => void logged.push(message) });
      expect([await made.refresh(true), await made.refresh(true)]).toEqual(['taken', 'taken']);
    }
    expect([lstatSync(path).isFile(), logged.length]).toEqual([true, 1]);
  });

  it('leaves the link of another daemon of this user alone while that one listens', async () => {
    const { path, link, other } = await place();
    const { socket, listening } = await other();
    symlinkSync(socket, path);
    using made = link();
    expect([await made.refresh(true), readlinkSync(path)]).toEqual(['taken', socket]);
    listening.stop();
    expect(await made.refresh(true)).toBe('ours');
  });

  it.each([
    { title: 'its socket is gone', isFolderGone: false },
    { title: 'its folder is gone', isFolderGone: true },
  ])('replaces the link of a daemon of this user that has died: $title', async ({ isFolderGone }) => {
    const { path, socket, link, other } = await place();
    const dead = await other();
    dead.listening.stop();
    if (isFolderGone) rmSync(join(dead.socket, '..'), { recursive: true });
    symlinkSync(dead.socket, path);
    using made = link();
    expect([await made.refresh(true), readlinkSync(path)]).toEqual(['ours', socket]);
  });

  it('takes over the link that a killed daemon left to the same socket', async () => {
    const { path, socket, link } = await place();
    symlinkSync(socket, path);
    {
      using made = link();
      expect(await made.refresh(true)).toBe('ours');
    }
    expect(exists(path)).toBe(false);
  });

  it('leaves a link of this user to another kind of file alone', async () => {
    const { path, socket, link } = await place();
    const file = join(socket, '../notes.txt');
    writeFileSync(file, '');
    symlinkSync(file, path);
    {
      using made = link();
      expect(await made.refresh(true)).toBe('taken');
    }
    expect(readlinkSync(path)).toBe(file);
  });

  it('leaves the link to the daemon that has taken its socket', async () => {
    const { path, link } = await place();
    let isServing = true;
    {
      using made = link({ isServing: () => isServing });
      await made.refresh(true);
      isServing = false;
    }
    expect(exists(path)).toBe(true);
  });

  it('does not remove what replaced its link', async () => {
    const { path, link } = await place();
    {
      using made = link();
      await made.refresh(true);
      rmSync(path);
      writeFileSync(path, 'mine');
    }
    expect(lstatSync(path).isFile()).toBe(true);
  });

  it('creates no link after it was disposed of', async () => {
    const { path, link } = await place();
    const made = link();
    made[Symbol.dispose]();
    expect([await made.refresh(true), exists(path)]).toEqual(['off', false]);
  });

  // Only root can make another user's file.
  it.skipIf(!isRoot).each([
    { title: 'its own socket', target: 'evil.sock' },
    { title: 'our socket', target: undefined },
  ])('leaves a link of another user to $title alone', async ({ target }) => {
    const { path, socket, link } = await place();
    symlinkSync(target ?? socket, path);
    lchownSync(path, STRANGER, STRANGER);
    {
      using made = link();
      expect(await made.refresh(true)).toBe('taken');
    }
    expect([lstatSync(path).uid, readlinkSync(path)]).toEqual([STRANGER, target ?? socket]);
  });
});
