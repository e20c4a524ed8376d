import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listed, marked } from '../fixtures/children/marked-processes.js';
import { asVariables, canaries, canariesIn } from '../support/canaries.js';
import { configure, connect, FIXTURE, fixture, portolan, type StdioClient } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

// secrets-stay-out-of-http.test.ts tests the HTTP routes and the daemon.

/** Fifty secrets; five hundred with PORTOLAN_SOAK=1. */
const TIMES = process.env.PORTOLAN_SOAK === '1' ? 10 : 1;
const LOCAL = 5 * TIMES;
const SECRETS_OF_EACH = 4;
const OF_THE_GATEWAY = 20 * TIMES;
const REMOTE = 5 * TIMES;
const HEADERS_OF_EACH = 2;

const of = <T>(count: number, make: (place: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

describe('a secret', { tags: 'S4' }, () => {
  let machine: Machine;
  let client: StdioClient;
  /** All output of the gateway to its client. */
  const answers: string[] = [];
  const received = new Map<string, IncomingHttpHeaders>();
  const local = of(LOCAL, (n) => ({ name: `local${n}`, secrets: canaries(SECRETS_OF_EACH) }));
  const remote = of(REMOTE, (n) => ({ name: `remote${n}`, secrets: canaries(HEADERS_OF_EACH) }));
  const ofTheGateway = canaries(OF_THE_GATEWAY);
  const dumpOf = (name: string) => machine.path(`~/dumps/${name}.json`);

  /** Minimal HTTP servers; the last one fails and quotes the request in its error. */
  const web = createServer((request, response) => {
    const path = request.url?.slice(1) ?? '';
    received.set(path, request.headers);
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      if (path === `remote${REMOTE - 1}`) return response.writeHead(401).end(JSON.stringify(request.headers));
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method, params } = JSON.parse(body);
      if (id === undefined) return response.writeHead(202).end();
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: params?.protocolVersion ?? '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'web', version: '1' },
        },
        'tools/list': { tools: [{ name: 'fetch', inputSchema: { type: 'object' } }] },
      };
      const error = { code: -32000, message: `not with ${request.headers.authorization}` };
      const answer = Object.hasOwn(results, method) ? { result: results[method] } : { error };
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  });

  beforeAll(async () => {
    machine = makeMachine();
    machine.write({ '~/dumps/.keep': '' });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    const { port } = web.address() as AddressInfo;
    const locals = local.map(({ name, secrets }) => [
      name,
      fixture([name, '--env', dumpOf(name)], {
        env: Object.fromEntries(secrets.map((value, n) => [n === 0 ? 'OWN_SECRET' : `${name}_KEY_${n}`, value])),
      }),
    ]);
    const remotes = remote.map(({ name, secrets: [token = '', key = ''] }) => [
      name,
      { url: `http://127.0.0.1:${port}/${name}`, headers: { Authorization: `Bearer ${token}`, 'X-Api-Key': key } },
    ]);
    const [first] = local;
    const dying = fixture(['--dies', 'bad key'], { env: { OWN_SECRET: first?.secrets[0] ?? '' } });
    configure(machine, { ...Object.fromEntries([...locals, ...remotes]), dying }, { timeouts: { searchMs: 20_000 } });
    client = await connect(machine, {
      env: { PORTOLAN_LOG: 'debug', ...asVariables(ofTheGateway) },
    });
    answers.push(JSON.stringify(await client.call('search_tools', { query: 'anything' })));
    for (const { name } of local) {
      for (const tool of ['mutter', 'refuse', 'echo', 'exit'])
        answers.push(JSON.stringify(await client.execute(name, tool, tool === 'echo' ? { text: 'a' } : {})));
    }
    for (const { name } of remote) answers.push(JSON.stringify(await client.execute(name, 'fetch')));
    answers.push(JSON.stringify(await client.execute('dying', 'echo', { text: 'a' })));
    answers.push(JSON.stringify(await client.call('list_mcp_servers')));
  });

  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    web.close();
    machine?.[Symbol.dispose]();
  });

  it('reaches its own server, and the errors are real', () => {
    expect(local.map(({ name }) => canariesIn(readFileSync(dumpOf(name), 'utf8')).toSorted())).toEqual(
      local.map(({ secrets }) => secrets.toSorted()),
    );
    expect(remote.map(({ name }) => canariesIn(JSON.stringify(received.get(name))).toSorted())).toEqual(
      remote.map(({ secrets }) => secrets.toSorted()),
    );
    const all = answers.join('\n');
    const codes = ['TOOL_EXECUTION_ERROR', 'CONNECTION_ERROR', 'refused with', 'leaving with', 'bad key'];
    expect(codes.filter((part) => !all.includes(part))).toEqual([]);
    expect(local.length * SECRETS_OF_EACH + remote.length * HEADERS_OF_EACH + ofTheGateway.length).toBe(50 * TIMES);
  });

  it('of the gateway reaches no server: a server gets only the allow-list and its own variables', () => {
    const allowed = new Set(['PATH', 'HOME', 'USERPROFILE', 'OWN_SECRET']);
    const others = local.flatMap(({ name }) => {
      const given = Object.keys(JSON.parse(readFileSync(dumpOf(name), 'utf8')));
      // macOS adds a variable to every process.
      return given.filter((key) => !allowed.has(key) && !key.startsWith(`${name}_KEY_`) && !key.startsWith('__CF'));
    });
    expect([...new Set(others)].filter((key) => key !== 'USERPROFILE')).toEqual([]);
  });

  it.skipIf(!existsSync('/proc/self/environ'))('is in the environment of its own process only', async () => {
    // All servers and the guardian process run now.
    for (const { name } of local) await client.execute(name, 'echo', { text: 'again' });
    const table = await listed();
    const children = marked(table, FIXTURE).filter(({ line }) => line.includes(machine.home));
    const others = table.filter(
      ({ pid, parent }) => parent === client.pid && !children.some((child) => child.pid === pid),
    );
    expect([children.length, others.length]).toEqual([LOCAL, 1]);
    const found = [...children, ...others].map(({ pid, line }) => {
      const own = local.find(({ name }) => line.includes(dumpOf(name)))?.secrets ?? [];
      return canariesIn(readFileSync(`/proc/${pid}/environ`, 'utf8')).filter((value) => !own.includes(value));
    });
    expect(found.flat()).toEqual([]);
  });

  it('is in no response and no error', () => {
    expect(answers.flatMap(canariesIn)).toEqual([]);
  });

  it('is in no line of the log', () => {
    expect(client.stderr).toContain('"level"');
    expect(canariesIn(client.stderr)).toEqual([]);
  });

  it('is in no written file: audit, server logs, catalog, pins, state', async () => {
    // The stderr of servers is written to disk with a delay.
    await client[Symbol.asyncDispose]();
    const folders = ['~/.cache/portolan', '~/.local/state/portolan'].map((path) => machine.path(path));
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    );
    const kinds = ['catalog/', 'audit/', 'logs/', 'pins/'];
    expect(kinds.filter((kind) => !files.some((path) => path.includes(`portolan/${kind}`)))).toEqual([]);
    const withSecret = files.filter(
      (path) => statSync(path).isFile() && canariesIn(readFileSync(path, 'latin1')).length > 0,
    );
    expect(withSecret).toEqual([]);
  });

  it('is in no output of a command', async () => {
    const commands = [
      ['logs', 'local0'],
      ['logs', 'dying', '--json'],
      ['audit', '--json'],
      ['audit', '--verify'],
      ['call', 'local0', 'refuse', '--json'],
      ['call', 'dying', 'echo', 'text=a'],
      ['call', `remote${REMOTE - 1}`, 'fetch', '--json'],
      ['list', '--json', '--all'],
      ['why', 'remote0'],
      ['doctor'],
    ];
    const printed = [];
    for (const args of commands) {
      const { stdout, stderr } = await portolan(machine, args);
      printed.push({ args, found: canariesIn(stdout + stderr), isEmpty: stdout + stderr === '' });
    }
    expect(printed).toEqual(commands.map((args) => ({ args, found: [], isEmpty: false })));
  });
});

describe('no shell', { tags: 'S4' }, () => {
  const ATTACKS = [
    '$(touch x)',
    '`touch x`',
    '; touch x',
    '| touch x',
    '&& touch x',
    '> x',
    '%PATH%',
    '*',
    '~',
    "'",
    '"',
    '\\',
    '',
  ];

  it('interprets the arguments of a server, which arrive as written', async () => {
    using machine = makeMachine();
    configure(machine, { own: fixture(ATTACKS) });
    await using client = await connect(machine);
    const { content } = await client.execute('own', 'argv');
    expect(JSON.parse(String(content[0]?.text))).toEqual(ATTACKS);
    expect(existsSync(machine.path('<project>/x'))).toBe(false);
  });

  it.each(['node; touch x', '$(touch x)', '`touch x`', 'touch x', 'true && touch x'])(
    'interprets the command %j: no such program exists',
    async (command) => {
      using machine = makeMachine();
      configure(machine, { own: { command, args: [] } });
      await using client = await connect(machine);
      expect(await client.execute('own', 'echo', { text: 'a' })).toMatchObject({
        structuredContent: { error: { code: 'CONNECTION_ERROR' } },
      });
      expect(existsSync(machine.path('<project>/x'))).toBe(false);
    },
  );
});
