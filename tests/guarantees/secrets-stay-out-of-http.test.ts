import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listed, marked } from '../fixtures/children/marked-processes.js';
import { sdkHandler, serveHttp } from '../fixtures/servers/http-server.js';
import { asVariables, canaries, canariesIn } from '../support/canaries.js';
import { configure, FIXTURE, fixture } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';
import { serveOverHttp } from '../support/gateway-over-http.js';
import { type Machine, makeMachine } from '../support/machine.js';
import { sendRaw, statelessCall } from '../support/raw-http.js';

const OWN_OF_EACH = 4;
const OF_THE_GATEWAY = 20;
const NAMES = ['local0', 'local1', 'local2'];

const locals = () => NAMES.map((name) => ({ name, secrets: canaries(OWN_OF_EACH) }));
const dumpOf = (machine: Machine, name: string) => machine.path(`~/${name}.json`);

/** Servers that record their environment and arguments. */
function entriesOf(machine: Machine, all: ReturnType<typeof locals>) {
  const entry = ({ name, secrets }: (typeof all)[number]) =>
    fixture([name, '--env', dumpOf(machine, name)], {
      env: Object.fromEntries(secrets.map((value, n) => [n === 0 ? 'OWN_SECRET' : `${name}_KEY_${n}`, value])),
    });
  return Object.fromEntries(all.map((one) => [one.name, entry(one)]));
}

const givenTo = (machine: Machine, name: string) => canariesIn(readFileSync(dumpOf(machine, name), 'utf8')).toSorted();

describe('the HTTP routes for metrics and servers', { tags: 'S4' }, () => {
  it.each(['asks for a token', 'is open to this machine'])('contain no secret, in a gateway that %s', async (how) => {
    using machine = makeMachine();
    await using far = await serveHttp(sdkHandler());
    const own = locals();
    const [bearer = '', key = '', query = '', dead = '', token = ''] = canaries(5);
    const headers = { Authorization: `Bearer ${bearer}`, 'X-Api-Key': key };
    configure(machine, {
      ...entriesOf(machine, own),
      far: { url: `${far.url}?key=${query}`, headers },
      dead: fixture(['--dies', 'bad key'], { env: { OWN_SECRET: dead } }),
    });
    const isLocked = how === 'asks for a token';
    const env = { ...asVariables(canaries(OF_THE_GATEWAY)), ...(isLocked && { PORTOLAN_TOKEN: token }) };
    await using gateway = await serveOverHttp(machine, { env });
    const { port } = gateway;
    const ours = [`Host: 127.0.0.1:${port}`, ...(isLocked ? [`Authorization: Bearer ${token}`] : [])];
    const call = (server: string, tool: string) => {
      const { headers, body } = statelessCall(server, tool, { text: 'a' });
      return sendRaw(port, ['POST /mcp HTTP/1.1', ...ours, ...headers], body);
    };
    for (const [server, tool] of [
      ...NAMES.flatMap((name) => [
        [name, 'echo'],
        [name, 'refuse'],
        [name, 'exit'],
      ]),
    ])
      expect((await call(server ?? '', tool ?? '')).status).toBe(200);
    for (const [server, tool] of [
      ['far', 'echo'],
      ['far', 'none'],
      ['dead', 'echo'],
    ])
      expect((await call(server ?? '', tool ?? '')).status).toBe(200);
    // The servers did receive the secrets.
    expect(own.map(({ name }) => givenTo(machine, name))).toEqual(own.map(({ secrets }) => secrets.toSorted()));
    expect(canariesIn(JSON.stringify(far.headers.map((given) => [...given]))).toSorted()).toEqual(
      [bearer, key].toSorted(),
    );
    const outputs = await Promise.all(
      ['/metrics', '/servers', '/health'].map(async (path) => {
        const { status, head, body } = await sendRaw(port, [`GET ${path} HTTP/1.1`, ...ours]);
        return { path, status, found: canariesIn(head + body), body };
      }),
    );
    expect(outputs).toEqual([
      { path: '/metrics', status: 200, found: [], body: expect.stringContaining('portolan_call_errors_total{code=') },
      { path: '/servers', status: 200, found: [], body: expect.stringContaining('"name":"portolan"') },
      { path: '/health', status: 200, found: [], body: expect.any(String) },
    ]);
    expect(canariesIn(gateway.stderr())).toEqual([]);
  });
});

describe.skipIf(!existsSync('/proc/self/environ'))('a daemon', { tags: 'S4' }, () => {
  it('passes no secret of its own environment, of a client or of a server to another process', async () => {
    await using setup = makeDaemonSetup();
    const { machine } = setup;
    const own = locals();
    configure(machine, entriesOf(machine, own));
    const clients = [];
    for (const _ of ['the one that starts it', 'another']) {
      const env = { ...asVariables(canaries(OF_THE_GATEWAY)), PORTOLAN_LOG: 'debug' };
      clients.push(await setup.client({ env }));
    }
    try {
      for (const client of clients)
        for (const name of NAMES) {
          expect((await client.execute(name, 'echo', { text: 'a' })).content).toMatchObject([{ text: 'a' }]);
          await client.execute(name, 'mutter');
          await client.execute(name, 'refuse');
        }
      expect(own.map(({ name }) => givenTo(machine, name))).toEqual(own.map(({ secrets }) => secrets.toSorted()));
      const daemon = (await setup.pid()) ?? expect.unreachable('no daemon runs');
      const table = await listed();
      const servers = marked(table, FIXTURE).filter(({ line }) => line.includes(machine.home));
      expect(servers).toHaveLength(NAMES.length);
      // The daemon and its child processes, including the guardian process.
      const below = table.filter(({ pid, parent }) => pid === daemon || parent === daemon);
      const processes = new Map([...servers, ...below].map((one) => [one.pid, one]));
      expect(processes.size).toBeGreaterThan(NAMES.length);
      const found = [...processes.values()].map(({ pid, line }) => {
        const allowed = own.find(({ name }) => line.includes(dumpOf(machine, name)))?.secrets ?? [];
        const seen = canariesIn(readFileSync(`/proc/${pid}/environ`, 'utf8'));
        return { line, strange: seen.filter((value) => !allowed.includes(value)) };
      });
      expect(found.filter(({ strange }) => strange.length > 0)).toEqual([]);
      expect(clients.flatMap(({ stderr }) => canariesIn(stderr))).toEqual([]);
    } finally {
      for (const client of clients) await client[Symbol.asyncDispose]();
    }
    await setup.run(['daemon', 'stop']);
    const written = ['~/.cache/portolan', '~/.local/state/portolan'].flatMap((path) => {
      const folder = machine.path(path);
      return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
    });
    const files = written.filter((path) => statSync(path).isFile());
    expect(files.some((path) => path.endsWith('daemon.log'))).toBe(true);
    expect(files.filter((path) => canariesIn(readFileSync(path, 'latin1')).length > 0)).toEqual([]);
  });
});
