import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf, gatewayWith, type Json, odd, textOf } from '../support/gateway-harness.js';
import { makeMachine } from '../support/machine.js';

const IS_SOAK = process.env.PORTOLAN_SOAK === '1';
const ROUNDS = IS_SOAK ? 200 : 20;
const OTHERS = 200;
const CALL_MS = 300;
/** Longer than any other call takes; no test waits for it. */
const LONG_MS = 120_000;

/** Whether the call is still pending; a response that has just arrived counts as the end. */
const isPending = (call: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    call.then(
      () => false,
      () => false,
    ),
    new Promise<boolean>((resolve) => setImmediate(resolve, true)),
  ]);

const received = (path: string): Json[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe('an upstream server that never answers', { tags: 'G2' }, () => {
  it('causes a timeout error for the caller, and gets a cancellation', async () => {
    using files = makeMachine();
    const seen = join(files.home, 'seen');
    await using home = await gatewayWith({ deaf: odd(['deaf', '--seen', seen]) }, { timeouts: { callMs: CALL_MS } });
    const client = home.connect();
    expect(codeOf(await client.execute('deaf', 'echo'))).toBe('TOOL_EXECUTION_TIMEOUT');
    const calls = () => received(seen).filter(({ method }) => method === 'tools/call');
    const cancels = () => received(seen).filter(({ method }) => method === 'notifications/cancelled');
    await expect.poll(cancels).toHaveLength(1);
    expect(cancels()).toMatchObject([{ params: { requestId: calls()[0]?.id } }]);
  });

  it('does not affect other calls, which are answered while it hangs', async () => {
    const servers = { odd: odd(), other: odd(['other']) };
    await using home = await gatewayWith(servers, { timeouts: { callMs: LONG_MS } });
    const [client, another] = [home.connect(), home.connect()];
    await client.execute('odd', 'echo');
    const hanging = client.execute('odd', 'mute');
    const others = await Promise.all(
      Array.from({ length: OTHERS }, (_, n) =>
        // Both clients use both servers; the second server starts now.
        (n % 2 === 0 ? client : another).execute(n % 4 < 2 ? 'other' : 'odd', 'echo', { n }),
      ),
    );
    expect(await isPending(hanging)).toBe(true);
    expect(others.map(textOf)).toEqual(others.map((_, n) => `{"n":${n}}`));
  });

  it(`frees the slot for the next queued call, ${ROUNDS} times`, async () => {
    const settings = { timeouts: { callMs: CALL_MS }, limits: { inFlightPerServer: 1 } };
    await using home = await gatewayWith({ odd: odd() }, settings);
    const client = home.connect();
    await client.execute('odd', 'echo');
    const outcomes: unknown[] = [];
    for (let n = 0; n < ROUNDS; n += 1) {
      const [hung, next] = await Promise.all([client.execute('odd', 'mute'), client.execute('odd', 'echo', { n })]);
      outcomes.push([codeOf(hung), textOf(next)]);
    }
    expect(outcomes).toEqual(outcomes.map((_, n) => ['TOOL_EXECUTION_TIMEOUT', `{"n":${n}}`]));
  });

  it('cannot answer another call with a late response', async () => {
    await using home = await gatewayWith({ odd: odd() }, { timeouts: { callMs: CALL_MS } });
    const client = home.connect();
    await client.execute('odd', 'echo');
    const late = client.execute('odd', 'wait', { ms: 2 * CALL_MS });
    expect(codeOf(await late)).toBe('TOOL_EXECUTION_TIMEOUT');
    const texts: string[] = [];
    const ends = performance.now() + 3 * CALL_MS;
    for (let n = 0; performance.now() < ends; n += 1) texts.push(textOf(await client.execute('odd', 'echo', { n })));
    expect(texts).toEqual(texts.map((_, n) => `{"n":${n}}`));
  });

  it('is abandoned if it does not complete the handshake', async () => {
    await using home = await gatewayWith({ silent: odd(['silent']) }, { timeouts: { startMs: 1_000 } });
    expect(codeOf(await home.connect().execute('silent', 'echo'))).toBe('CONNECTION_ERROR');
  });

  it('does not delay the start of other servers by a missing handshake', async () => {
    const servers = { silent: odd(['silent']), other: odd() };
    await using home = await gatewayWith(servers, { timeouts: { startMs: LONG_MS } });
    const client = home.connect();
    const silent = client.execute('silent', 'echo');
    expect(textOf(await client.execute('other', 'echo', { a: 1 }))).toBe('{"a":1}');
    expect(await isPending(silent)).toBe(true);
  });

  it('is ended if it hangs, and started again for the next call', async () => {
    using files = makeMachine();
    const starts = join(files.home, 'starts');
    const settings = { timeouts: { callMs: 100 } };
    await using home = await gatewayWith({ deaf: odd(['deaf', '--starts', starts]) }, settings);
    const client = home.connect();
    const codes: unknown[] = [];
    for (let n = 0; n < 4; n += 1) codes.push(codeOf(await client.execute('deaf', 'echo')));
    expect(codes.slice(0, 3)).toEqual(new Array(3).fill('TOOL_EXECUTION_TIMEOUT'));
    await expect.poll(() => client.execute('deaf', 'echo').then(codeOf)).toBe('TOOL_EXECUTION_TIMEOUT');
    const pids = readFileSync(starts, 'utf8').trim().split('\n').map(Number);
    expect(pids.length).toBeGreaterThan(1);
    await expect.poll(() => isAlive(pids[0] ?? 0)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
