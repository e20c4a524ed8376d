import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTarget, type Target } from '../support/attacks.js';
import { configure, fixture, installed } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';
import { odd } from '../support/gateway-harness.js';
import { type HttpGateway, serveOverHttp } from '../support/gateway-over-http.js';
import { INITIALIZE, JSON_HEADERS, sendRaw, statelessCall } from '../support/raw-http.js';

// http-handler.test.ts tests single sessions.

const MANY = 20;
const TOKEN = 'a-token-of-this-test';
const EVERYTHING = installed('@modelcontextprotocol/server-everything');
const targets: readonly [Target, Target] = [makeTarget(), makeTarget()];
const [{ machine }, guarded] = targets;
let gateway: HttpGateway;
let locked: HttpGateway;

beforeAll(async () => {
  configure(machine, { own: fixture(), odd: odd(), everything: EVERYTHING });
  configure(guarded.machine, { own: guarded.bait('started') });
  [gateway, locked] = await Promise.all([
    serveOverHttp(machine, { env: { PORTOLAN_LOG: 'debug' } }),
    serveOverHttp(guarded.machine, { env: { PORTOLAN_TOKEN: TOKEN } }),
  ]);
});

afterAll(async () => {
  await Promise.all([gateway, locked].map((one) => one?.[Symbol.asyncDispose]()));
  for (const target of targets) target[Symbol.dispose]();
});

const executing = (server: string, tool: string, given: object) => ({
  name: 'execute_tool',
  arguments: { server, tool, arguments: given },
});
const request = (id: unknown, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

/** Opens a session and returns its id. */
async function open({ port }: HttpGateway = gateway, more: readonly string[] = []): Promise<string> {
  const lines = ['POST /mcp HTTP/1.1', `Host: 127.0.0.1:${port}`, ...JSON_HEADERS, ...more];
  const { head } = await sendRaw(port, lines, INITIALIZE);
  const [, id] = /^mcp-session-id: (\w+)/m.exec(head) ?? [];
  if (id === undefined) throw new Error(`no session: ${head}`);
  return id;
}

const within = (session: string, body: string, line = 'POST /mcp HTTP/1.1', { port } = gateway) =>
  sendRaw(port, [line, `Host: 127.0.0.1:${port}`, ...JSON_HEADERS, `Mcp-Session-Id: ${session}`], body);

describe('responses and the right client (CVE-2026-25536)', { tags: 'S14' }, () => {
  it('match sessions that use the same request ids', async () => {
    const sessions = await Promise.all(Array.from({ length: MANY }, () => open()));
    const answers = await Promise.all(
      sessions.map((session, n) =>
        within(session, request(7, 'tools/call', executing('odd', 'echo', { secretOf: `client ${n};` }))),
      ),
    );
    const got = answers.map(({ body }) => body.match(/client \d+;/g));
    expect(got).toEqual(sessions.map((_, n) => [`client ${n};`]));
  });

  it('match stateless requests with the same id that complete in reverse order', async () => {
    const { port } = gateway;
    const answers = await Promise.all(
      Array.from({ length: MANY }, (_, n) => {
        const { headers, body } = statelessCall('odd', 'wait', { ms: 400 - 20 * n });
        return sendRaw(port, ['POST /mcp HTTP/1.1', `Host: 127.0.0.1:${port}`, ...headers], body);
      }),
    );
    expect(answers.map(({ body }) => body.match(/waited \d+/g))).toEqual(
      answers.map((_, n) => [`waited ${400 - 20 * n}`]),
    );
  });

  it.skipIf(process.platform === 'win32')('match the clients of one daemon', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { odd: odd() });
    await using first = await setup.client();
    await first.execute('odd', 'echo', {});
    const clients = await Promise.all(Array.from({ length: 8 }, () => setup.direct()));
    await Promise.all(clients.map(({ client }) => client.initialize()));
    const answers = await Promise.all(
      clients.map(({ client }, n) => client.request('tools/call', executing('odd', 'echo', { secretOf: n }))),
    );
    expect(answers.map((answer) => JSON.stringify(answer).match(/secretOf\W+(\d+)/)?.[1])).toEqual(
      clients.map((_, n) => String(n)),
    );
    for (const { socket, client } of clients) {
      expect([...client.answered.values()].every((times) => times === 1)).toBe(true);
      socket.destroy();
    }
  });

  it('do not reach a client that uses the request id of a disconnected client', async () => {
    const [gone, next] = [await open(), await open()];
    const leaving = new AbortController();
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const left = fetch(gateway.url, {
      method: 'POST',
      headers: { ...headers, 'mcp-session-id': gone },
      body: request(3, 'tools/call', executing('odd', 'wait', { ms: 300 })),
      signal: leaving.signal,
    });
    await (await left).body?.cancel();
    leaving.abort();
    await within(gone, '', 'DELETE /mcp HTTP/1.1');
    const { body } = await within(next, request(3, 'tools/call', executing('odd', 'echo', { mine: true })));
    expect(body).toContain('mine');
    expect(body).not.toContain('waited');
  });

  it('include progress: two clients with the same token get only their own notifications', async () => {
    const [one, two] = [await open(), await open()];
    const steps = (count: number) => ({ ...executing('odd', 'steps', { count, ms: 20 }), _meta: { progressToken: 1 } });
    const answers = await Promise.all([
      within(one, request(1, 'tools/call', steps(3))),
      within(two, request(1, 'tools/call', steps(5))),
    ]);
    const totals = answers.map(({ body }) => [
      ...new Set([...body.matchAll(/"total":(\d)/g)].map(([, total]) => total)),
    ]);
    expect(totals).toEqual([['3'], ['5']]);
  });

  it('still arrive after another client cancels the same id', async () => {
    const [victim, attacker] = [await open(), await open()];
    const waiting = within(victim, request(9, 'tools/call', executing('odd', 'wait', { ms: 500 })));
    for (const requestId of [9, '9'])
      await within(
        attacker,
        JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
      );
    expect((await waiting).body).toContain('waited 500');
  });

  it('are not replaced by responses that a server writes before or during a request', async () => {
    const session = await open();
    const waiting = within(await open(), request(1, 'tools/call', executing('odd', 'wait', { ms: 1_000 })));
    const early = Array.from({ length: 200 }, (_, id) =>
      JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'forged' }] } }),
    );
    const hex = Buffer.from(`${early.join('\n')}\n`).toString('hex');
    await within(session, request(1, 'tools/call', executing('odd', 'raw', { hex })));
    const { body } = await within(session, request(2, 'tools/call', executing('odd', 'echo', { honest: true })));
    expect(body).toContain('honest');
    expect(body).not.toContain('forged');
    expect((await waiting).body).toContain('waited 1000');
  });

  it('include elicitation: only the caller is asked, and only its answer counts', async () => {
    const asked: string[] = [];
    const people = await Promise.all(
      ['Ada', 'Mallory'].map(async (name) => {
        const options = {
          capabilities: { elicitation: { form: {} } },
          versionNegotiation: { mode: 'legacy' as const },
        };
        const client = new Client({ name, version: '1' }, options);
        client.setRequestHandler('elicitation/create', async () => {
          asked.push(name);
          return { action: 'accept', content: { name } };
        });
        await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
        return client;
      }),
    );
    // Mallory sends a response for every possible id of the request, before and during it.
    const mallory = await open();
    const forged = () =>
      Promise.all(
        Array.from({ length: 20 }, (_, id) =>
          within(
            mallory,
            JSON.stringify({ jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Eve' } } }),
          ),
        ),
      );
    const call = people[0]?.callTool(executing('everything', 'trigger-elicitation-request', {}));
    const [result] = await Promise.all([call, forged()]);
    expect(JSON.stringify(result)).toContain('- Name: Ada');
    expect(asked).toEqual(['Ada']);
    for (const client of people) await client.close();
  });
});

describe('session-id theft', { tags: 'S14' }, () => {
  it.each<{ title: string; guess: (id: string) => string }>([
    { title: 'a number', guess: () => '1' },
    { title: 'a word', guess: () => 'admin' },
    { title: 'a uuid', guess: () => '00000000-0000-4000-8000-000000000000' },
    { title: 'only zeros', guess: () => '0'.repeat(64) },
    { title: 'one character less', guess: (id) => id.slice(0, -1) },
    { title: 'one character more', guess: (id) => `${id}0` },
    { title: 'upper case', guess: (id) => id.toUpperCase().replace(/^\d+/, '') },
    { title: 'the id twice', guess: (id) => `${id}, ${id}` },
    { title: 'the id after another header of the same name', guess: (id) => `x\r\nMcp-Session-Id: ${id}` },
    { title: 'a pattern', guess: () => '*' },
    { title: 'the name of an inherited property', guess: () => '__proto__' },
  ])('fails with a guessed id: $title', async ({ guess }) => {
    const id = await open();
    for (const line of ['POST /mcp HTTP/1.1', 'GET /mcp HTTP/1.1', 'DELETE /mcp HTTP/1.1']) {
      const { status, body } = await within(guess(id), line.startsWith('POST') ? request(1, 'tools/list') : '', line);
      expect([line, [400, 404].includes(status), body.includes('execute_tool')]).toEqual([line, true, false]);
    }
    expect((await within(id, request(2, 'ping'))).status).toBe(200);
  });

  it('fails with an id that the attacker chose (session fixation)', async () => {
    const chosen = 'f'.repeat(64);
    const id = await open(gateway, [`Mcp-Session-Id: ${chosen}`]).catch(() => undefined);
    expect(id).not.toBe(chosen);
    expect((await within(chosen, request(1, 'tools/list'))).status).toBe(404);
  });

  it.each(['sessionId', 'session_id', 'Mcp-Session-Id'])('fails with an id in the URL: ?%s=…', async (name) => {
    const { port } = gateway;
    const lines = [`POST /mcp?${name}=${await open()} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...JSON_HEADERS];
    expect((await sendRaw(port, lines, request(1, 'tools/list'))).status).toBe(400);
  });

  it('fails because ids are random', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => open()));
    expect(ids.filter((id) => !/^[0-9a-f]{64}$/.test(id))).toEqual([]);
    // Two random ids share eight characters once in millions of runs.
    expect(new Set(ids.flatMap((id) => id.match(/.{8}/g) ?? [])).size).toBe(50 * 8);
  });

  it('fails with the id of an ended session', async () => {
    const id = await open();
    expect((await within(id, '', 'DELETE /mcp HTTP/1.1')).status).toBe(200);
    expect((await within(id, request(1, 'tools/list'))).status).toBe(404);
  });

  it.each([[], ['Authorization: Bearer wrong'], ['Authorization: Bearer']].map((more) => ({ more })))(
    'fails with a stolen id without the token: $more',
    async ({ more }) => {
      const { port } = locked;
      const id = await open(locked, [`Authorization: Bearer ${TOKEN}`]);
      for (const line of ['POST /mcp HTTP/1.1', 'GET /mcp HTTP/1.1', 'DELETE /mcp HTTP/1.1']) {
        const lines = [line, `Host: 127.0.0.1:${port}`, ...JSON_HEADERS, `Mcp-Session-Id: ${id}`, ...more];
        const call = request(1, 'tools/call', executing('own', 'echo', { text: 'a' }));
        expect((await sendRaw(port, lines, line.startsWith('POST') ? call : '')).status).toBe(401);
      }
      expect(guarded.ran()).toEqual([]);
    },
  );

  it('finds no id in logs, files or responses to other clients', async () => {
    const ids = await Promise.all(Array.from({ length: 3 }, () => open()));
    await Promise.all(ids.map((id) => within(id, request(1, 'tools/call', executing('own', 'echo', { text: 'a' })))));
    const { port } = gateway;
    const health = await sendRaw(port, ['GET /health HTTP/1.1', `Host: 127.0.0.1:${port}`]);
    const texts = [gateway.stderr(), health.body, ...textsIn(machine.home)];
    expect(gateway.stderr()).not.toBe('');
    expect(ids.filter((id) => texts.some((text) => text.includes(id)))).toEqual([]);
  });
});

function textsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .map((path) => readFileSync(path, 'utf8'));
}
