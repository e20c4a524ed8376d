import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeEngines, tidy } from '../sandbox/installed-engines.js';
import {
  type Json,
  type LineClient,
  odd,
  textOf,
  type WatchedGateway,
  watchedGateway,
} from '../support/gateway-harness.js';

afterAll(tidy);

const WATCHED_MS = 2_000;
const PAUSE_MS = 3;
const ATTACK_SECONDS = 3;
/** More than the CPUs of the machines that run the tests. */
const ATTACKERS = 4;
/** Far above the figures on an idle machine; a gateway that waits for a program stalls for seconds. */
const SLACK = { factor: 10, ms: 100 };

const ATTACKS: readonly { readonly title: string; readonly code: string }[] = [
  { title: 'endless loops', code: 'while True: pass' },
  { title: 'endless output', code: 'while True: print("x" * 1000)' },
  {
    title: 'endless calls',
    code: 'while True:\n    try:\n        mcp_theirs.echo(n="x" * 10_000)\n    except Exception: pass',
  },
  {
    title: 'endless memory',
    code: 'held = []\nwhile True:\n    try:\n        held.append(bytearray(1 << 22))\n    except MemoryError: pass',
  },
  { title: 'forged messages', code: 'import os\nwhile True: os.write(4, b"{}\\n" * 1000)' },
];

await describeEngines(['bwrap', 'pyodide'], (engine) => `calls of other clients during attacks in ${engine}`, inEngine);

function inEngine(engine: string): void {
  let gateway: WatchedGateway;
  beforeAll(async () => {
    gateway = watchedGateway(
      { ours: odd(), theirs: odd([], { env: { WHOSE: 'theirs' } }) },
      { sandbox: { engine }, timeouts: { searchMs: 20_000 } },
    );
    await gateway.client.initialize();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());
  const run = async (given: Json): Promise<Json> => {
    const { result } = await gateway.client.request('tools/call', { name: 'run_python', arguments: given });
    return result as Json;
  };

  it.each(ATTACKS)('are answered as fast as before during $title', async ({ code }) => {
    await run({ code: '1', session: false });
    const alone = await percentile(gateway.client);
    const attack = { code, session: false, timeout: ATTACK_SECONDS, servers: ['theirs'] };
    const attacks = Array.from({ length: ATTACKERS }, () => run(attack));
    const meanwhile = await percentile(gateway.client);
    const ended = await Promise.all(attacks);
    expect(meanwhile).toBeLessThan(alone * SLACK.factor + SLACK.ms);
    expect(ended.map((result) => textOf(result).includes(`[sandbox] ${engine}`))).toEqual(ended.map(() => true));
    // The next program runs normally.
    expect(await run({ code: '1 + 1', session: false })).toMatchObject({ structuredContent: { result: 2 } });
  });
}

/** The 99th percentile of the durations of calls. */
async function percentile(client: LineClient): Promise<number> {
  const times: number[] = [];
  const ends = performance.now() + WATCHED_MS;
  for (let n = 0; performance.now() < ends || n < 100; n += 1) {
    const began = performance.now();
    expect(textOf(await client.execute('ours', 'echo', { n }))).toBe(`{"n":${n}}`);
    times.push(performance.now() - began);
    await pause(PAUSE_MS);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99) - 1] ?? 0;
}
