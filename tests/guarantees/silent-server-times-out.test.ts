import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf, gatewayWith, type Json, odd, textOf } from '../support/gateway-harness.js';
import { makeMachine } from '../support/machine.js';

const IS_SOAK = process.env.PORTOLAN_SOAK === '1';
const ROUNDS = IS_SOAK ? 200 : 20;
const OTHERS = 200;
const CALL_MS = 300;
/** So long that no other call ends after it unless it waited for it; no test waits for its end. */
const LONG_MS = 120_000;

/** Whether it has not ended yet; what was answered a moment ago has. */
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

describe('an upstream that never answers', { tags: 'G2' }, () => {
  it('costs its caller the time that is set, and is told so', async () => {
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

  it('hurts nobody else: they are answered while it still hangs', async () => {
    const servers = { odd: odd(), other: odd(['other']) };
    await using home = await gatewayWith(servers, { timeouts: { callMs: LONG_MS } });
    const [client, another] = [home.connect(), home.connect()];
    await client.execute('odd', 'echo');
    const hanging = client.execute('odd', 'mute');
    const others = await Promise.all(
      Array.from({ length: OTHERS }, (_, n) =>
        // The same server is another's as well, and the other one is only started now.
        (n % 2 === 0 ? client : another).execute(n % 4 < 2 ? 'other' : 'odd', 'echo', { n }),
      ),
    );
    expect(await isPending(hanging)).toBe(true);
    expect(others.map(textOf)).toEqual(others.map((_, n) => `{"n":${n}}`));
  });

  it(`gives its place to the next in line, ${ROUNDS} times`, async () => {
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

  it('an answer that comes too late is nobody else’s', async () => {
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

  it('one that does not even greet is given up', async () => {
    await using home = await gatewayWith({ silent: odd(['silent']) }, { timeouts: { startMs: 1_000 } });
    expect(codeOf(await home.connect().execute('silent', 'echo'))).toBe('CONNECTION_ERROR');
  });

  it('others start and answer while one still does not greet', async () => {
    const servers = { silent: odd(['silent']), other: odd() };
    await using home = await gatewayWith(servers, { timeouts: { startMs: LONG_MS } });
    const client = home.connect();
    const silent = client.execute('silent', 'echo');
    expect(textOf(await client.execute('other', 'echo', { a: 1 }))).toBe('{"a":1}');
    expect(await isPending(silent)).toBe(true);
  });

  it('one that is stuck for good is ended, and started anew for the next call', async () => {
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
