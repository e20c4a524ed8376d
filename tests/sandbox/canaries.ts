import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Things on the host that nothing in a sandbox may reach, and that tell when something did. */
export interface Canaries extends AsyncDisposable {
  readonly file: string;
  readonly port: number;
  readonly unix: string;
  /** Found nowhere but in the file and in our environment. */
  readonly secret: string;
  /** What was touched since the last time. */
  touched(): readonly string[];
}

export async function setUpCanaries(): Promise<Canaries> {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-canary-'));
  const secret = `secret-${randomUUID()}`;
  const file = join(folder, 'canary.txt');
  const unix = join(folder, 'canary.sock');
  writeFileSync(file, secret, { mode: 0o644 });
  process.env.PORTOLAN_CANARY = secret;
  let knocks: string[] = [];
  const listener = (name: string) =>
    createServer((socket) => {
      knocks.push(name);
      socket.on('error', () => undefined).end('hello');
    });
  const tcp = listener('tcp');
  const port = await listening(tcp, { port: 0, host: '127.0.0.1' });
  const named = listener('unix');
  await listening(named, { path: unix });
  const nameless = process.platform === 'linux' ? listener('abstract') : undefined;
  if (nameless) await listening(nameless, { path: '\0portolan-canary' }).catch(() => undefined);
  const udp = createSocket('udp4', () => knocks.push('udp'));
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve));
  return {
    file,
    port,
    unix,
    secret,
    touched() {
      const faults = knocks;
      knocks = [];
      if (readFileSync(file, 'utf8') !== secret) faults.push('the file was changed');
      const names = readdirSync(folder).sort();
      if (names.join() !== 'canary.sock,canary.txt') faults.push(`the folder holds ${names.join()}`);
      if ('polluted' in {}) faults.push('the prototype of objects was changed');
      return faults;
    },
    async [Symbol.asyncDispose]() {
      for (const server of [tcp, named, nameless]) server?.close();
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
