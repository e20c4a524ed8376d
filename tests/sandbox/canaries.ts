import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files and sockets of the host that a sandbox must not reach, and that record each access. */
export interface Canaries extends AsyncDisposable {
  readonly file: string;
  readonly port: number;
  readonly unix: string;
  /** Only the file and the environment of the host contain it. */
  readonly secret: string;
  /** The accesses since the last call. */
  touched(): readonly string[];
}

export async function setUpCanaries(): Promise<Canaries> {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-canary-'));
  const secret = `secret-${randomUUID()}`;
  const file = join(folder, 'canary.txt');
  const unix = join(folder, 'canary.sock');
  writeFileSync(file, secret, { mode: 0o644 });
  process.env.PORTOLAN_CANARY = secret;
  let accesses: string[] = [];
  const listener = (name: string) =>
    createServer((socket) => {
      accesses.push(name);
      socket.on('error', () => undefined).end('hello');
    });
  const tcp = listener('tcp');
  const port = await listening(tcp, { port: 0, host: '127.0.0.1' });
  const named = listener('unix');
  await listening(named, { path: unix });
  const abstract = process.platform === 'linux' ? listener('abstract') : undefined;
  if (abstract) await listening(abstract, { path: '\0portolan-canary' }).catch(() => undefined);
  const udp = createSocket('udp4', () => accesses.push('udp'));
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve));
  return {
    file,
    port,
    unix,
    secret,
    touched() {
      const found = accesses;
      accesses = [];
      if (readFileSync(file, 'utf8') !== secret) found.push('the file was changed');
      const names = readdirSync(folder).sort();
      if (names.join() !== 'canary.sock,canary.txt') found.push(`the directory contains ${names.join()}`);
      if ('polluted' in {}) found.push('the prototype of objects was changed');
      return found;
    },
    async [Symbol.asyncDispose]() {
      for (const server of [tcp, named, abstract]) server?.close();
      udp.close();
      delete process.env.PORTOLAN_CANARY;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function listening(server: Server, where: { port: number; host: string } | { path: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
}
