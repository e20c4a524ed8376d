import { describe, expect, it } from 'vitest';
import { ErrorCode } from '../../base/index.js';
import { CallGate, type Gate } from './call-gate.js';
import type { CallLimits } from './call-limits.js';

const LIMITS: CallLimits = {
  maxArgumentBytes: 1_000,
  maxDepth: 10,
  inFlightPerClient: 100,
  inFlightPerServer: 100,
  queue: 100,
  ratePerMinute: 1_000_000,
};
const roomy = () => ({ used: 1, limit: 100 });

/** A gate with a manual clock, and the order in which its calls started or were refused. */
function gateWith(limits: Partial<CallLimits>) {
  const clock = { now: 0 };
  const gate = new CallGate(() => ({ ...LIMITS, ...limits }), { now: () => clock.now, heap: roomy });
  const events: string[] = [];
  const turns = new Map<string, Disposable>();
  /** Resolves once the call has started, waits or was refused. */
  const call = async (name: string, client: string, server: string, signal?: AbortSignal): Promise<void> => {
    void entered(gate, { client, server }, signal).then(
      (turn) => {
        turns.set(name, turn);
        events.push(name);
      },
      (error: { code?: string }) => {
        events.push(`${name} ${error.code}`);
      },
    );
    await settled();
  };
  const end = async (...names: string[]): Promise<void> => {
    for (const name of names) turns.get(name)?.[Symbol.dispose]();
    await settled();
  };
  return { clock, gate, events, call, end };
}

/** The gate's result as a promise, also if it throws or returns at once. */
async function entered(gate: Gate, ...passage: Parameters<Gate['enter']>): Promise<Disposable> {
  return gate.enter(...passage);
}

/** Lets all pending promise callbacks run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('CallGate', () => {
  it.each([
    { title: 'a client', limits: { inFlightPerClient: 2 }, server: (n: number) => `s${n}` },
    { title: 'a server', limits: { inFlightPerServer: 2 }, server: () => 's' },
  ])('runs as many calls of $title at once as the limit allows, and queues the rest in order', async (row) => {
    const { events, call, end } = gateWith(row.limits);
    for (let n = 0; n < 5; n += 1) await call(`${n}`, 'c', row.server(n));
    expect(events).toEqual(['0', '1']);
    await end('1');
    expect(events).toEqual(['0', '1', '2']);
    await end('0', '2');
    expect(events).toEqual(['0', '1', '2', '3', '4']);
  });

  it('lets clients take turns even if one has many calls', async () => {
    const { events, call, end } = gateWith({ inFlightPerServer: 1 });
    for (const name of ['a0', 'a1', 'a2', 'a3', 'b0', 'b1', 'c0']) await call(name, name.slice(0, 1), 's');
    await settled();
    for (const name of ['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3']) {
      expect(events.at(-1)).toBe(name);
      await end(name);
    }
  });

  it('does not let a full server delay calls to another', async () => {
    const { events, call } = gateWith({ inFlightPerServer: 1, queue: 2 });
    for (const name of ['x0', 'x1', 'x2', 'x3']) await call(name, name, 'busy');
    await call('y', 'x1', 'idle');
    expect(events).toEqual(['x0', 'x3 LIMIT_EXCEEDED', 'y']);
  });

  it('starts a call that waited for its client rather than for the server that became free', async () => {
    const { events, call, end } = gateWith({ inFlightPerClient: 1, inFlightPerServer: 1 });
    for (const [name, client, server] of [
      ['0', 'a', 's'],
      ['1', 'b', 't'],
      ['2', 'a', 't'],
      ['3', 'a', 'u'],
    ] as const)
      await call(name, client, server);
    await end('0');
    expect(events).toEqual(['0', '1', '3']);
    await end('3');
    await end('1');
    expect(events).toEqual(['0', '1', '3', '2']);
  });

  it('shares a full queue: a new call replaces the newest call of the client with the most', async () => {
    const { events, call, end } = gateWith({ inFlightPerServer: 1, queue: 4 });
    for (const name of ['a0', 'a1', 'a2', 'a3', 'a4']) await call(name, 'a', 's');
    await call('b0', 'b', 's');
    await call('b1', 'b', 's');
    await call('b2', 'b', 's');
    expect(events).toEqual(['a0', 'a4 LIMIT_EXCEEDED', 'a3 LIMIT_EXCEEDED', 'b2 LIMIT_EXCEEDED']);
    for (const name of ['a0', 'a1', 'b0', 'a2', 'b1']) await end(name);
    expect(events.slice(4)).toEqual(['a1', 'b0', 'a2', 'b1']);
  });

  it('refuses a client whose waiting calls at all servers together fill its queue', async () => {
    const { events, call } = gateWith({ inFlightPerServer: 1, queue: 2 });
    for (const server of ['s', 't', 'u']) await call(server, 'other', server);
    for (const server of ['s', 't', 'u']) await call(`${server}2`, 'a', server);
    expect(events).toEqual(['s', 't', 'u', 'u2 LIMIT_EXCEEDED']);
  });

  it('limits the rate of each client and each server, and reports how long to wait', async () => {
    const { clock, gate, events, call } = gateWith({ ratePerMinute: 2 });
    for (const [name, client, server] of [
      ['0', 'a', 's'],
      ['1', 'a', 't'],
      ['2', 'a', 'u'],
      ['3', 'b', 's'],
      ['4', 'c', 's'],
    ] as const)
      await call(name, client, server);
    expect(events).toEqual(['0', '1', '2 LIMIT_EXCEEDED', '3', '4 LIMIT_EXCEEDED']);
    await expect(entered(gate, { client: 'a', server: 'v' })).rejects.toMatchObject({
      code: ErrorCode.LimitExceeded,
      hint: 'wait 30000 ms; limits.ratePerMinute sets the limit',
    });
    clock.now = 30_000;
    await call('5', 'a', 'v');
    expect(events.at(-1)).toBe('5');
  });

  it('drops a waiting call that is cancelled, and does not start one cancelled before', async () => {
    const { events, call, end } = gateWith({ inFlightPerServer: 1 });
    const stop = new AbortController();
    for (const [name, signal] of [['0'], ['1', stop.signal], ['2']] as const) await call(name, 'a', 's', signal);
    stop.abort();
    await settled();
    await call('3', 'a', 's', stop.signal);
    expect(events).toEqual(['0', '1 CANCELLED', '3 CANCELLED']);
    await end('0');
    expect(events.at(-1)).toBe('2');
  });

  it('refuses a call that has waited too long', async () => {
    const gate = new CallGate(() => ({ ...LIMITS, inFlightPerServer: 1 }), { heap: roomy, maxWaitMs: 10 });
    const keepAlive = setInterval(() => undefined, 1_000);
    await gate.enter({ client: 'a', server: 's' });
    await expect(entered(gate, { client: 'b', server: 's' })).rejects.toMatchObject({ code: ErrorCode.LimitExceeded });
    clearInterval(keepAlive);
  });

  it('refuses new calls above 90 % of the heap, samples at most ten times a second, and recovers', async () => {
    const clock = { now: 0 };
    const used = [90, 91, 50];
    const gate = new CallGate(() => LIMITS, {
      now: () => clock.now,
      heap: () => ({ used: used.shift() ?? 0, limit: 100 }),
    });
    const outcomes: string[] = [];
    for (const now of [0, 99, 100, 199, 200]) {
      clock.now = now;
      const { client, server } = { client: 'a', server: 's' };
      outcomes.push(
        await entered(gate, { client, server }).then(
          () => 'in',
          (error: { code: string }) => error.code,
        ),
      );
    }
    expect(outcomes).toEqual(['in', 'in', 'LIMIT_EXCEEDED', 'LIMIT_EXCEEDED', 'in']);
  });

  it('releases a turn once even if it is disposed of repeatedly', async () => {
    const { events, call, end } = gateWith({ inFlightPerServer: 1 });
    for (const name of ['0', '1', '2']) await call(name, 'a', 's');
    await end('0', '0', '0');
    expect(events).toEqual(['0', '1']);
  });

  it('starts waiting calls when the limit was raised and another call arrives', async () => {
    const limits = { ...LIMITS, inFlightPerServer: 1 };
    const gate = new CallGate(() => limits, { heap: roomy });
    const calls = Array.from({ length: 3 }, () => entered(gate, { client: 'a', server: 's' }));
    await settled();
    limits.inFlightPerServer = 10;
    calls.push(entered(gate, { client: 'b', server: 's' }));
    await settled();
    calls.push(entered(gate, { client: 'a', server: 's' }));
    expect(await Promise.all(calls)).toHaveLength(5);
  });

  it('drops counters of idle clients and servers, and keeps the others', async () => {
    const { clock, gate, call, end } = gateWith({ ratePerMinute: 10 });
    for (let n = 0; n < 100; n += 1) await call(`${n}`, `c${n}`, `s${n}`);
    await end(...Array.from({ length: 99 }, (_, n) => `${n}`));
    expect(gate.size).toBe(200);
    clock.now = 60_000;
    await call('new', 'c', 's');
    expect(gate.size).toBe(4);
  });

  it('counts the calls of two workspaces to one process together, each by its own limits and server name', async () => {
    const gate = new CallGate(() => LIMITS, { heap: roomy });
    const [narrow, wide] = [1, 3].map(
      (inFlightPerServer): Gate =>
        gate.sharedBy(
          () => ({ ...LIMITS, inFlightPerServer }),
          () => 'the process',
        ),
    );
    const events: string[] = [];
    const turns = new Map<string, Disposable>();
    const call = async (name: string, at: Gate | undefined, server: string): Promise<void> => {
      void (at && entered(at, { client: name, server }))?.then((turn) => {
        turns.set(name, turn);
        events.push(name);
      });
      await settled();
    };
    await call('a', narrow, 'mine');
    await call('b', narrow, 'mine');
    await call('c', wide, 'yours');
    await call('d', wide, 'yours');
    await call('e', wide, 'yours');
    expect(events).toEqual(['a', 'c', 'd']);
    turns.get('a')?.[Symbol.dispose]();
    await settled();
    // The wide limit leaves room for three calls; the narrow one for none while any is running.
    expect(events).toEqual(['a', 'c', 'd', 'e']);
    for (const name of ['c', 'd', 'e']) turns.get(name)?.[Symbol.dispose]();
    await settled();
    expect(events).toEqual(['a', 'c', 'd', 'e', 'b']);
  });

  it('never exceeds the limits and serves every call eventually under random load', async () => {
    const running = { clients: new Map<string, number>(), servers: new Map<string, number>() };
    const limits = { ...LIMITS, inFlightPerClient: 3, inFlightPerServer: 4, queue: 10_000 };
    const gate = new CallGate(() => limits, { heap: roomy });
    const most = { client: 0, server: 0 };
    const count = (map: Map<string, number>, name: string, by: number): number => {
      map.set(name, (map.get(name) ?? 0) + by);
      return map.get(name) ?? 0;
    };
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    await Promise.all(
      Array.from({ length: 2_000 }, async () => {
        const who = { client: `c${random(6)}`, server: `s${random(5)}` };
        using _turn = await gate.enter(who);
        most.client = Math.max(most.client, count(running.clients, who.client, 1));
        most.server = Math.max(most.server, count(running.servers, who.server, 1));
        for (let n = random(4); n > 0; n -= 1) await settled();
        count(running.clients, who.client, -1);
        count(running.servers, who.server, -1);
      }),
    );
    expect(most).toEqual({ client: 3, server: 4 });
  });
});
