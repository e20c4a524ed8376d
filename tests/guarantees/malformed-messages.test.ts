import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Dice, malformed } from '../fixtures/servers/malformed.js';
import { type Json, odd, textOf, watchedGateway } from '../support/gateway-harness.js';
import { makeMachine } from '../support/machine.js';
import { MAX_BUSY_MS, MAX_STALL_MS, printFigures, TIMES } from './support/malformed-input.js';

// malformed-headers-and-frames.test.ts tests sockets and HTTP, malformed-server-responses.test.ts remote servers,
// malformed-config-files.test.ts files.

const MESSAGES = 100_000 * TIMES;
const MAX_DEPTH = 128;
const SEED = 20_260_728;
const CHUNK_BYTES = 64 * 1024;

/** The ids of a line that must be answered, and those that may be. Does not use the tested code. */
function idsOf(line: Buffer): { readonly must: readonly string[]; readonly may: readonly string[] } {
  const text = line
    .toString()
    .replace(/^\ufeff/, '')
    .replace(/\r$/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The id of a too deeply nested message is read, even if the rest is malformed.
    return { must: [], may: [...text.matchAll(/"id"\s*:\s*(-?[\d.eE+-]+|"[^"]*")/g)].map((found) => key(found[1])) };
  }
  const isBatch = Array.isArray(value);
  const messages: unknown[] = isBatch ? (value as unknown[]) : [value];
  const may = messages.flatMap((one) => (isPlain(one) && isId(one.id) ? [JSON.stringify(one.id)] : []));
  const isRefused = isBatch && (messages.length > 256 || depthOf(text) > MAX_DEPTH);
  const must = isRefused ? [] : messages.flatMap((one) => (isRequest(one) ? [JSON.stringify(one.id)] : []));
  return { must, may };
}

function key(written: string | undefined): string {
  try {
    return JSON.stringify(JSON.parse(written ?? ''));
  } catch {
    return '';
  }
}

const isPlain = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
/** Numbers beyond 2^53 may change when they are parsed, so they are refused as ids. */
const isId = (id: unknown) =>
  (typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER) || (typeof id === 'string' && id.length <= 1_024);

function isRequest(value: unknown): value is Json {
  if (!isPlain(value) || value.jsonrpc !== '2.0' || typeof value.method !== 'string' || !isId(value.id)) return false;
  return value.params === undefined || isPlain(value.params);
}

function depthOf(text: string): number {
  let [depth, most] = [0, 0];
  for (const [sign] of text.matchAll(/"(?:\\.|[^"\\])*"|[[\]{}]/g)) {
    if (sign === '[' || sign === '{') depth += 1;
    else if (sign === ']' || sign === '}') depth -= 1;
    most = Math.max(most, depth);
  }
  return most;
}

/** Usual requests of a client. */
const ASKED: readonly ((n: number) => Json)[] = [
  () => ({ method: 'ping' }),
  () => ({ method: 'tools/list', params: {} }),
  () => ({ method: 'initialize', params: { protocolVersion: '2025-11-25', clientInfo: { name: 'x', version: '1' } } }),
  () => ({ method: 'server/discover', params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } } }),
  (n) => ({ method: 'notifications/cancelled', params: { requestId: n - 5, reason: 'enough' } }),
  () => ({ method: 'tools/call', params: { name: 'list_mcp_servers', arguments: {} } }),
  (n) => ({ method: 'tools/call', params: { name: 'search_tools', arguments: { query: `echo ${n}`, limit: 3 } } }),
  () => ({ method: 'tools/call', params: { name: 'get_tool_details', arguments: { server: 'odd', tool: 'echo' } } }),
  (n) => ({
    method: 'tools/call',
    params: {
      name: 'execute_tool',
      arguments: { server: 'odd', tool: 'echo', arguments: { n } },
      _meta: { progressToken: n },
    },
  }),
];

const LIMITS = { inFlightPerClient: 10_000, inFlightPerServer: 10_000, queue: 10_000, ratePerMinute: 100_000_000 };

function add(counts: Map<string, number>, ids: readonly string[]): void {
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
}

describe('malformed messages', { tags: 'G9' }, () => {
  it(
    `(${MESSAGES} from a client) cause no crash or stall, and each valid id is answered exactly once`,
    async () => {
      const dice = new Dice(SEED);
      await using gateway = watchedGateway({ odd: odd() }, { limits: LIMITS });
      const { client } = gateway;
      await client.execute('odd', 'echo'); // uses ids below those of the test
      await gateway.figures('reset');
      const [must, may] = [new Map<string, number>(), new Map<string, number>()];
      const cancelled = new Set<string>();
      let chunk: Buffer[] = [];
      let bytes = 0;
      const send = async (line: Buffer) => {
        chunk.push(line, Buffer.from('\n'));
        bytes += line.length + 1;
        for (const part of split(line)) {
          const ids = idsOf(part);
          add(must, ids.must);
          add(may, ids.may);
        }
        if (bytes < CHUNK_BYTES) return;
        await client.write(Buffer.concat(chunk));
        chunk = [];
        bytes = 0;
      };
      for (let n = 0; n < MESSAGES; n += 1) {
        const id = 1_000_000_000 + n;
        const message = { jsonrpc: '2.0', id, ...dice.pick(ASKED)(id) };
        // A cancelled request gets no response.
        if (JSON.stringify(message).includes('notifications/cancelled')) cancelled.add(String(id - 5));
        await send(malformed(message, dice));
        if (n % 20 === 0) await send(Buffer.from(JSON.stringify({ ...message, id: id + 1_000_000_000 })));
        // Over the limit of one line.
        if (n % (MESSAGES / 4) === 5)
          await send(Buffer.from(JSON.stringify({ ...message, id: `long ${n}`, more: 'x'.repeat(5 * 1024 * 1024) })));
      }
      await client.write(Buffer.concat(chunk));
      const unanswered = () =>
        [...must].filter(([id, count]) => !cancelled.has(id) && (client.answered.get(id) ?? 0) < count);
      await expect.poll(unanswered, { timeout: 60_000 }).toEqual([]);
      expect(textOf(await client.execute('odd', 'echo', { alive: true }))).toBe('{"alive":true}');
      const answered = [...client.answered].filter(([id]) => id !== 'null' && !(Number(id) >= 0 && Number(id) < 10));
      expect(answered.filter(([id, count]) => count > (may.get(id) ?? 0))).toEqual([]);
      const { stallMs, busyMs, polluted } = await gateway.figures('read');
      printFigures(
        `${MESSAGES} to the client's side, ${must.size} valid ids, stall at most ${stallMs.toFixed(0)} ms, busy at most ${busyMs.toFixed(0)} ms`,
      );
      const { broken } = client;
      expect({ broken, code: gateway.process.exitCode, polluted }).toEqual({ broken: [], code: null, polluted: [] });
      expect(gateway.stderr()).not.toContain('internal error');
      expect(must.size).toBeGreaterThan(MESSAGES / 20);
      expect(busyMs).toBeLessThan(MAX_BUSY_MS);
      expect(stallMs).toBeLessThan(MAX_STALL_MS);
    },
    MESSAGES * 5,
  );

  it(
    `(${MESSAGES} from a server) cause no crash or stall, and every call is answered exactly once`,
    async () => {
      const dice = new Dice(SEED + 1);
      const rounds = 20;
      using machine = makeMachine();
      await using gateway = watchedGateway({ odd: odd(['python']), other: odd() }, { limits: LIMITS });
      const { client } = gateway;
      await Promise.all(['odd', 'other'].map((server) => client.execute(server, 'echo')));
      await gateway.figures('reset');
      const received: string[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const file = join(machine.home, `noise-${round}`);
        await writeNoise(file, MESSAGES / rounds, dice);
        const calls = [client.execute('odd', 'play', { file }), client.execute('other', 'echo', { round })];
        received.push(...(await Promise.all(calls)).map(textOf));
        received.push(textOf(await client.execute('odd', 'echo', { round })));
      }
      const { stallMs, busyMs, polluted } = await gateway.figures('read');
      printFigures(
        `${MESSAGES} to the server's side, stall at most ${stallMs.toFixed(0)} ms, busy at most ${busyMs.toFixed(0)} ms`,
      );
      expect(received).toEqual(
        Array.from({ length: rounds }, (_, round) => ['played', `{"round":${round}}`, `{"round":${round}}`]).flat(),
      );
      expect([...client.answered.values()]).toEqual(new Array(3 * rounds + 2).fill(1));
      expect(polluted).toEqual([]);
      expect(gateway.stderr()).not.toContain('internal error');
      expect(busyMs).toBeLessThan(MAX_BUSY_MS);
      expect(stallMs).toBeLessThan(MAX_STALL_MS);
    },
    MESSAGES * 5,
  );

  it.each([
    { title: 'to the limit is answered', depth: MAX_DEPTH, inner: '', id: 7, answer: { result: {} } },
    {
      title: 'below the limit is refused',
      depth: MAX_DEPTH + 1,
      inner: '',
      id: 7,
      answer: { error: { code: -32600 } },
    },
    // Invalid JSON: the id in the response shows that it was not parsed.
    {
      title: 'below the limit is refused before it is parsed',
      depth: MAX_DEPTH + 1,
      inner: '}',
      id: 7,
      answer: { error: { code: -32600 } },
    },
    {
      title: 'to the limit is parsed',
      depth: MAX_DEPTH,
      inner: '}',
      id: null,
      answer: { error: { code: -32700 } },
    },
  ])('a message nested $title', async ({ depth, inner, id, answer }) => {
    await using gateway = watchedGateway({});
    // The message and its parameters are two levels.
    const [open, close] = ['['.repeat(depth - 2), ']'.repeat(depth - 2)];
    const line = `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":${open}${inner}${close}}}`;
    expect(await gateway.client.answerTo(id, line)).toMatchObject(answer);
  });
});

/** The change may have inserted line ends, so one message can be several lines. */
function split(line: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  for (let end = line.indexOf(10); end >= 0; end = line.indexOf(10, from)) {
    parts.push(line.subarray(from, end));
    from = end + 1;
  }
  return [...parts, line.subarray(from)];
}

/** Messages that a server may send at any time; their ids are far above those of pending requests. */
const UNSOLICITED: readonly ((n: number) => Json)[] = [
  (id) => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'wrong' }] } }),
  (id) => ({ jsonrpc: '2.0', id, error: { code: -1, message: 'wrong' } }),
  (id) => ({ jsonrpc: '2.0', id, method: 'ping' }),
  (id) => ({ jsonrpc: '2.0', id, method: 'sampling/createMessage', params: { messages: [] } }),
  (id) => ({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id, progress: 1 } }),
  () => ({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } }),
];

async function writeNoise(path: string, count: number, dice: Dice): Promise<void> {
  const file = createWriteStream(path);
  for (let n = 0; n < count; n += 1) {
    const line = malformed(dice.pick(UNSOLICITED)(1_000_000_000 + n), dice);
    if (!file.write(Buffer.concat([line, Buffer.from('\n')]))) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}
