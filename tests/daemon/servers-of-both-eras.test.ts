import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport as OldTransport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { configure, isAlive, until } from '../support/client-over-stdio.js';
import { type DaemonSetup, killDaemon, makeDaemonSetup } from '../support/daemon-harness.js';
import { SocketTransport } from '../support/socket-transport.js';

const tests = dirname(fileURLToPath(import.meta.url));
const SERVER = join(tests, '../fixtures/servers/older-style-server.mjs');
const CONFORMANCE_FIXTURE = join(tests, '../../conformance/fixture-server.mjs');
const CLIENT_INFO = { name: 'sdk', version: '1' };
const CAPABILITIES = { sampling: {}, elicitation: { form: {} } };
const ACCEPTED = { action: 'accept' as const, content: { name: 'Ada' } };
const SAMPLED = { role: 'assistant' as const, content: { type: 'text' as const, text: 'sampled' }, model: 'm' };

/** The operations that the tests use, for clients of both revisions. */
interface EitherClient extends AsyncDisposable {
  execute(tool: string, given?: Record<string, unknown>): Promise<string>;
}

const callOf = (tool: string, given: object) => ({
  name: 'execute_tool',
  arguments: { server: 'asking', tool, arguments: given },
});
const textOf = (result: unknown) => String((result as { content: readonly { text?: string }[] }).content[0]?.text);

async function olderClient(socket: string): Promise<EitherClient> {
  const client = new OldClient(CLIENT_INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, async () => ACCEPTED);
  client.setRequestHandler(CreateMessageRequestSchema, async () => SAMPLED);
  // The optional properties of this type do not satisfy `exactOptionalPropertyTypes`.
  await client.connect(new SocketTransport(socket) as OldTransport);
  return {
    execute: async (tool, given = {}) => textOf(await client.callTool(callOf(tool, given))),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function newerClient(socket: string): Promise<EitherClient> {
  const client = new NewClient(CLIENT_INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode: 'auto' } });
  client.setRequestHandler('elicitation/create', async () => ACCEPTED);
  client.setRequestHandler('sampling/createMessage', async () => SAMPLED);
  await client.connect(new SocketTransport(socket));
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  return {
    execute: async (tool, given = {}) => textOf(await client.callTool(callOf(tool, given))),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

interface Where {
  readonly pid: number;
  readonly era: string;
}

const whereOf = async (client: EitherClient): Promise<Where> => JSON.parse(await client.execute('where'));

/** The processes of the server in `portolan ps`. */
async function listed(setup: DaemonSetup): Promise<readonly Where[]> {
  const { processes } = JSON.parse((await setup.run(['ps', '--json'])).stdout);
  return processes
    .map(({ pid, era }: Where) => ({ pid, era }))
    .toSorted((a: Where, b: Where) => (a.era < b.era ? -1 : 1));
}

describe('a server of both revisions that sends requests in the older style', () => {
  it('serves an older and a newer client at the same time with a process each, which end with them', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { asking: { command: process.execPath, args: [SERVER] } });
    await setup.run(['daemon', 'start']);
    await using older = await olderClient(setup.socket);
    {
      await using newer = await newerClient(setup.socket);
      const first = await whereOf(older);
      expect(first.era).toBe('legacy');
      // It sent no request yet, so the clients share it.
      expect(await whereOf(newer)).toEqual(first);
      const answers = ['ask_person', 'ask_model'].map((tool) => older.execute(tool));
      expect(await Promise.all(answers)).toEqual(['{"name":"Ada"}', JSON.stringify(SAMPLED.content)]);
      const [again, second] = await Promise.all([older.execute('ask_person'), whereOf(newer)]);
      expect(again).toBe('{"name":"Ada"}');
      expect(second.era).toBe('modern');
      expect(await listed(setup)).toEqual([first, second]);
      await newer[Symbol.asyncDispose]();
      await until(
        () => isAlive(second.pid),
        (alive) => !alive,
      );
      expect(await listed(setup)).toEqual([first]);
    }
    expect(await older.execute('ask_person')).toBe('{"name":"Ada"}');
  });

  it('leaves no process after kill -9 of the daemon, whose successor remembers that it sends requests', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { asking: { command: process.execPath, args: [SERVER] } });
    await setup.run(['daemon', 'start']);
    const run = async (clients: readonly EitherClient[]) => {
      const pids: number[] = [];
      for (const client of clients) pids.push((await whereOf(client)).pid);
      return pids;
    };
    await using before = await olderClient(setup.socket);
    await before.execute('ask_person');
    await using beforeToo = await newerClient(setup.socket);
    const pids = await run([before, beforeToo]);
    expect(new Set(pids).size).toBe(2);
    await killDaemon(setup);
    await until(
      () => pids.filter(isAlive),
      (left) => left.length === 0,
    );
    await setup.run(['daemon', 'start']);
    await using newer = await newerClient(setup.socket);
    await using older = await olderClient(setup.socket);
    const first = await whereOf(newer);
    expect(first.era).toBe('modern');
    expect(await older.execute('ask_person')).toBe('{"name":"Ada"}');
    expect(await listed(setup)).toEqual([{ pid: expect.any(Number), era: 'legacy' }, first]);
  });

  it('is reached over HTTP in the revision of each client', async () => {
    await using setup = makeDaemonSetup();
    const server = spawn(process.execPath, [CONFORMANCE_FIXTURE, '--http', '--older-style'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      const [url] = await once(createInterface({ input: server.stdout }), 'line');
      configure(setup.machine, { asking: { type: 'http', url } });
      await setup.run(['daemon', 'start']);
      await using newer = await newerClient(setup.socket);
      await using older = await olderClient(setup.socket);
      const ask = () => older.execute('test_elicitation', { message: 'Who?' });
      expect(await newer.execute('test_simple_text')).toContain('simple text');
      expect(await ask()).toContain('action=accept');
      const state = () => newer.execute('test_input_required_result_elicitation');
      expect(await Promise.all([ask(), state()])).toEqual([expect.stringContaining('action=accept'), 'Hello, Ada!']);
      expect((await listed(setup)).map(({ era }) => era)).toEqual(['legacy', 'modern']);
    } finally {
      const exited = once(server, 'exit');
      server.stdin.end();
      await exited;
    }
  });
});
