import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Incoming } from '../../rpc/index.js';
import { openSocketChannel } from './socket-channel.js';

const LIMITS = () => ({ maxLineBytes: 1_000, maxDepth: 8 });

function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-socket-'));
  return { path: join(folder, 's'), [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Echoes every line. */
async function listening(path: string) {
  const server = createServer((socket) => void socket.on('error', () => undefined).pipe(socket));
  server.listen(path);
  await once(server, 'listening');
  return { [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) };
}

const NOT_OURS: readonly { title: string; make: (path: string) => void; says: string }[] = [
  { title: 'nothing', make: () => undefined, says: 'nothing listens' },
  { title: 'a file', make: (path) => writeFileSync(path, ''), says: 'is not a socket' },
  { title: 'a folder', make: (path) => mkdirSync(path), says: 'is not a socket' },
  { title: 'a FIFO', make: (path) => void execFileSync('mkfifo', [path]), says: 'is not a socket' },
];

describe.skipIf(process.platform === 'win32')('openSocketChannel', () => {
  it('exchanges lines with the server', async () => {
    using folder = makeFolder();
    await using _server = await listening(folder.path);
    const channel = await openSocketChannel(`unix:${folder.path}`, LIMITS);
    const received = new Promise<Incoming>((resolve) => {
      channel.start({
        ...{ message: resolve, overlong: () => undefined },
        ...{ undelivered: () => undefined, onClose: () => undefined },
      });
    });
    channel.send({ kind: 'notification', method: 'x', params: { a: 1 } });
    expect(await received).toMatchObject({ kind: 'notification', method: 'x', params: { a: 1 } });
    await channel.close();
  });

  it.each(NOT_OURS)('refuses $title instead of a socket', { tags: 'R8' }, async ({ make, says }) => {
    using folder = makeFolder();
    make(folder.path);
    await expect(openSocketChannel(`unix:${folder.path}`, LIMITS)).rejects.toThrow(says);
  });

  it('refuses a link to a socket', { tags: 'R8' }, async () => {
    using folder = makeFolder();
    await using _server = await listening(`${folder.path}1`);
    symlinkSync(`${folder.path}1`, folder.path);
    await expect(openSocketChannel(`unix:${folder.path}`, LIMITS)).rejects.toThrow('is not a socket');
  });

  it.skipIf(process.geteuid?.() !== 0)('refuses the socket of another user', { tags: 'R8' }, async () => {
    using folder = makeFolder();
    await using _server = await listening(folder.path);
    chownSync(folder.path, 12_345, 12_345);
    await expect(openSocketChannel(`unix:${folder.path}`, LIMITS)).rejects.toThrow('belongs to another user');
  });

  it.each(['http://x/', 'unix:', 'nowhere'])('refuses %s as a socket address', async (url) => {
    await expect(openSocketChannel(url, LIMITS)).rejects.toThrow('its url is not a socket address');
  });
});
