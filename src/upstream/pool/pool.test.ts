import { describe, expect, it, vi } from 'vitest';
import { definition } from '../../../tests/fakes/definition.js';
import { idleConnection } from '../../../tests/fakes/idle-connection.js';
import { ErrorCode, PortolanError, silentLog } from '../../base/index.js';
import { type AdmittedServer, admit } from '../../policy/index.js';
import { BUDGET_WINDOW_MS, START_BUDGET } from './backoff.js';
import { type OpenEvents, type OpenServer, Pool, type PoolOptions } from './pool.js';

function admitted(name: string, command = name): AdmittedServer {
  const server = admit(name, definition({ name, command }), { kind: 'allowed' });
  if (!server) throw new Error('not admitted');
  return server;
}

interface Opened {
  readonly server: AdmittedServer;
  readonly events: OpenEvents;
  readonly closings: (string | undefined)[];
}

/** A pool with fake servers; `before` may delay or fail an open. */
function pooled(
  said: Partial<PoolOptions> = {},
  before: (server: AdmittedServer) => Promise<void> = async () => undefined,
) {
  const opened: Opened[] = [];
  const now = { ms: 0 };
  const pool = new Pool({
    open: async (server, events): Promise<OpenServer> => {
      const one: Opened = { server, events, closings: [] };
      opened.push(one);
      await before(server);
      return {
        connection: idleConnection(),
        pid: 1_000 + opened.length,
        close: async (reason) => {
          one.closings.push(reason);
        },
      };
    },
    idleMs: () => 50,
    log: silentLog,
    onNotification: () => undefined,
    now: () => now.ms,
    random: () => 0,
    ...said,
  });
  return { pool, opened, now };
}

const codeOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof PortolanError ? error.code : error;
};

describe('Pool', () => {
  it('starts a server once for concurrent leases, whatever its name', async () => {
    const { pool, opened } = pooled();
    const [a, b] = [admitted('a', 'tool'), admitted('b', 'tool')];
    const leases = await Promise.all([pool.lease(a), pool.lease(b), pool.lease(a)]);
    expect(opened).toHaveLength(1);
    expect(new Set(leases.map(({ connection }) => connection)).size).toBe(1);
    expect(pool.status(b)).toEqual({ state: 'connected', pid: 1_001 });
  });

  it('stops an idle server, and not before', async () => {
    const { pool, opened } = pooled();
    const server = admitted('a');
    const [first, second] = await Promise.all([pool.lease(server), pool.lease(server)]);
    first?.[Symbol.dispose]();
    first?.[Symbol.dispose](); // a second dispose has no effect
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(opened[0]?.closings).toEqual([]);
    second?.[Symbol.dispose]();
    await vi.waitFor(() => expect(opened[0]?.closings).toEqual(['idle']));
    expect(pool.status(server)).toEqual({ state: 'disconnected' });
    await pool.lease(server);
    expect(opened).toHaveLength(2);
  });

  it('keeps a server that is used again within the idle time', async () => {
    const { pool, opened } = pooled({ idleMs: () => 100 });
    const server = admitted('a');
    for (let n = 0; n < 5; n += 1) {
      using _lease = await pool.lease(server);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    expect(opened.map(({ closings }) => closings)).toEqual([[]]);
  });

  it('does not mistake the late end of one connection for the end of the next', async () => {
    const { pool, opened } = pooled({ idleMs: () => 0 });
    const server = admitted('a');
    (await pool.lease(server))[Symbol.dispose]();
    await vi.waitFor(() => expect(opened[0]?.closings).toEqual(['idle']));
    using _lease = await pool.lease(server);
    opened[0]?.events.onClose('it exited with code 0');
    expect(pool.status(server)).toEqual({ state: 'connected', pid: 1_002 });
  });

  it('does not keep a connection that ended while it was opened', async () => {
    const { pool, opened } = pooled({}, async () => {
      if (opened.length === 1) opened[0]?.events.onClose('it exited with code 4');
    });
    const server = admitted('a');
    expect(await codeOf(pool.lease(server))).toBe(ErrorCode.ConnectionError);
    expect(pool.status(server)).toEqual({ state: 'disconnected', error: 'a: it exited with code 4' });
    await pool.lease(server);
    expect(opened).toHaveLength(2);
  });

  it('restarts a lost server with the next lease, and shows the reason until then', async () => {
    const { pool, opened } = pooled();
    const server = admitted('a');
    using _lease = await pool.lease(server);
    opened[0]?.events.onClose('it exited with code 1');
    expect(pool.status(server)).toEqual({ state: 'disconnected', error: 'it exited with code 1' });
    using _again = await pool.lease(server);
    expect(pool.status(server)).toEqual({ state: 'connected', pid: 1_002 });
  });

  it('rejects an aborted lease and still opens for the others', async () => {
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { pool, opened } = pooled({}, () => gate);
    const server = admitted('a');
    const giving = new AbortController();
    const [left, stayed] = [pool.lease(server, { signal: giving.signal }), pool.lease(server)];
    giving.abort();
    expect(await codeOf(left)).toBe(ErrorCode.Cancelled);
    expect(pool.status(server)).toEqual({ state: 'starting', startingForMs: 0 });
    go();
    (await stayed)[Symbol.dispose]();
    expect(opened).toHaveLength(1);
    await vi.waitFor(() => expect(opened[0]?.closings).toEqual(['idle']));
  });

  it.each([
    { purpose: 'read', most: 3 },
    { purpose: 'call', most: 9 },
    { purpose: 'inquiry', most: 9 },
  ] as const)('starts at most $most of nine local servers at once to $purpose', async ({ purpose, most: limit }) => {
    let [running, most] = [0, 0];
    const { pool } = pooled({}, async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 10));
      running -= 1;
    });
    await Promise.all(Array.from({ length: 9 }, (_, n) => pool.lease(admitted(`s${n}`), { purpose })));
    expect(most).toBe(limit);
  });

  it.each([{ purpose: 'call' }, { purpose: 'inquiry' }] as const)(
    'starts a queued server at once for a lease with purpose $purpose, although others hang',
    async ({ purpose }) => {
      const { pool } = pooled({}, async ({ name }) => {
        if (name.startsWith('hangs')) await new Promise(() => undefined);
      });
      for (const name of ['hangs1', 'hangs2', 'hangs3', 'fine']) void pool.lease(admitted(name), { purpose: 'read' });
      await expect(pool.lease(admitted('fine'), { purpose })).resolves.toBeDefined();
    },
  );

  it('queues a server again that skipped the queue in its last start', async () => {
    const { pool, opened } = pooled({}, async ({ name }) => {
      if (name.startsWith('hangs')) await new Promise(() => undefined);
    });
    using _lease = await pool.lease(admitted('fine'));
    opened[0]?.events.onClose('it exited with code 1');
    for (const name of ['hangs1', 'hangs2', 'hangs3', 'fine']) void pool.lease(admitted(name), { purpose: 'read' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(opened.map(({ server }) => server.name)).toEqual(['fine', 'hangs1', 'hangs2', 'hangs3']);
  });

  it('stops a removed server at once or after its last user', async () => {
    const { pool, opened } = pooled();
    const [unused, used, kept] = [admitted('unused'), admitted('used'), admitted('kept')];
    (await pool.lease(unused))[Symbol.dispose]();
    const lease = await pool.lease(used);
    using _kept = await pool.lease(kept);
    pool.retain([kept]);
    expect(opened.map(({ closings }) => closings)).toEqual([['it was removed from the configuration'], [], []]);
    lease[Symbol.dispose]();
    expect(opened.map(({ closings }) => closings.length)).toEqual([1, 1, 0]);
  });

  it('closes all servers on dispose, also starting and removed ones', async () => {
    let isSlow = false;
    const { pool, opened } = pooled({ idleMs: () => 10_000 }, () =>
      isSlow ? new Promise((resolve) => setTimeout(resolve, 50)) : Promise.resolve(),
    );
    await pool.lease(admitted('used'));
    await pool.lease(admitted('gone'));
    pool.retain([admitted('used')]);
    isSlow = true;
    const starting = pool.lease(admitted('starting'));
    starting.catch(() => undefined);
    await vi.waitFor(() => expect(opened).toHaveLength(3));
    await pool[Symbol.asyncDispose]();
    expect(opened.map(({ server, closings }) => [server.name, closings.length])).toEqual([
      ['used', 1],
      ['gone', 1],
      ['starting', 1],
    ]);
    expect(await codeOf(pool.lease(admitted('late')))).toBe(ErrorCode.ConnectionError);
    expect(opened).toHaveLength(3);
  });

  it('does not report a start that our shutdown aborted as a failure', async () => {
    const said: string[] = [];
    const { pool } = pooled({
      open: (_server, _events, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
      log: (_level, message) => said.push(message),
    });
    const starting = pool.lease(admitted('a'), { purpose: 'read' });
    starting.catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    await pool[Symbol.asyncDispose]();
    await expect(starting).rejects.toThrow('aborted');
    expect({ said, status: pool.status(admitted('a')) }).toEqual({ said: [], status: { state: 'disconnected' } });
  });

  it('a crash loop never exceeds its start budget, however many calls arrive', { tags: 'G11' }, async () => {
    const { pool, opened, now } = pooled({}, () =>
      Promise.reject(new PortolanError(ErrorCode.ConnectionError, 'boom')),
    );
    const server = admitted('a');
    const startedAt: number[] = [];
    for (let n = 0; n < 2_000; n += 1) {
      now.ms = n * 1_000;
      const before = opened.length;
      await Promise.all([codeOf(pool.lease(server)), codeOf(pool.lease(server))]);
      for (let k = before; k < opened.length; k += 1) startedAt.push(now.ms);
    }
    const inWindow = (from: number) => startedAt.filter((at) => at >= from && at < from + BUDGET_WINDOW_MS).length;
    expect(Math.max(...startedAt.map(inWindow))).toBe(START_BUDGET);
    // Starts resume after each window: 2,000 s are six full windows and a part.
    expect(startedAt).toHaveLength(7 * START_BUDGET);
  });

  it('also counts starts that succeeded at first', { tags: 'G11' }, async () => {
    const { pool, opened, now } = pooled();
    const server = admitted('a');
    const codes: unknown[] = [];
    for (let n = 0; n < 100; n += 1) {
      now.ms += 1_000;
      codes.push(await codeOf(pool.lease(server).then((lease) => lease[Symbol.dispose]())));
      opened.at(-1)?.events.onClose('it exited with code 4');
    }
    expect(opened).toHaveLength(START_BUDGET);
    expect(codes.filter((code) => code === ErrorCode.ConnectionError)).toHaveLength(100 - START_BUDGET);
  });

  it('reports when a failing server may start again', async () => {
    const boom = () => Promise.reject(new PortolanError(ErrorCode.ConnectionError, 'boom'));
    const { pool, now } = pooled({ random: () => 1 }, boom);
    const server = admitted('a');
    for (const at of [0, 500, 1_500]) {
      now.ms = at;
      await codeOf(pool.lease(server));
    }
    const refused = await pool.lease(server).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: ErrorCode.ConnectionError,
      message: 'a: it failed 3 times in a row: boom',
      hint: 'the next try is in 2 s; see its output with `portolan logs a`',
    });
  });
});
