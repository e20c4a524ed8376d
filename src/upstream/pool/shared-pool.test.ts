import { describe, expect, it } from 'vitest';
import { definition } from '../../../tests/fakes/definition.js';
import { idleConnection } from '../../../tests/fakes/idle-connection.js';
import { ErrorCode, PortolanError, silentLog } from '../../base/index.js';
import type { Definition, Era, SupportedEras } from '../../model/index.js';
import { type AdmittedServer, admit } from '../../policy/index.js';
import { Pool } from './pool.js';
import { SharedPool } from './shared-pool.js';
import { type Share, usualShare } from './sharing.js';
import type { OpenEvents } from './workspace-hooks.js';

function admitted(fields: Partial<Definition> = {}): AdmittedServer {
  const server = admit('tool', definition({ name: 'tool', command: 'tool', ...fields }), { kind: 'allowed' });
  if (!server) throw new Error('not admitted');
  return server;
}

/** Workspaces with a shared pool; `opened` lists the workspace of each start, `heard` the received events. */
function poolSetup(onOpen: (events: OpenEvents) => void = () => undefined) {
  const opened: string[] = [];
  const closed: string[] = [];
  const heard: string[] = [];
  const events: OpenEvents[] = [];
  const shared = new SharedPool({ log: silentLog });
  const workspace = (name: string, said?: Share, passed = '') =>
    new Pool(
      {
        open: async (_server, told) => {
          opened.push(name);
          events.push(told);
          onOpen(told);
          return { connection: idleConnection(), close: async () => void closed.push(name) };
        },
        idleMs: () => 60_000,
        onNotification: (_server, method) => heard.push(`${name}: ${method}`),
        onRootsRequest: () => heard.push(`${name}: roots`),
        shareOf: ({ definition: one }, asks) =>
          said ? { share: said, isConfigured: true } : { share: usualShare(one, asks), isConfigured: false },
        passed: () => passed,
        log: silentLog,
      },
      shared,
    );
  return { shared, workspace, opened, closed, heard, events };
}

describe('usualShare', () => {
  it.each<{ title: string; fields: Partial<Definition>; asks?: boolean; expected: Share }>([
    { title: 'a server in user scope', fields: { scope: 'user' }, expected: 'machine' },
    { title: 'a server in project scope', fields: { scope: 'project' }, expected: 'workspace' },
    {
      title: 'a project server with an absolute cwd',
      fields: { scope: 'project', cwd: '/srv' },
      expected: 'machine',
    },
    { title: 'a server with a relative cwd', fields: { scope: 'local', cwd: 'sub' }, expected: 'workspace' },
    {
      title: 'an entry that names the workspace',
      fields: { scope: 'user', written: { command: 'x', args: [`$${'{workspaceFolder}'}`] } },
      expected: 'workspace',
    },
    { title: 'a server that asks for roots', fields: { scope: 'user' }, asks: true, expected: 'workspace' },
    { title: 'a server with a relative envFile', fields: { scope: 'user', envFile: '.env' }, expected: 'workspace' },
    {
      title: 'a remote server in project scope',
      fields: { scope: 'project', transport: 'http', url: 'http://x/' },
      expected: 'machine',
    },
    { title: 'an SDK server', fields: { scope: 'dynamic', transport: 'sdk' }, expected: 'workspace' },
  ])('shares $title by $expected', ({ fields, asks = false, expected }) => {
    expect(usualShare(definition({ name: 'x', command: 'x', ...fields }), asks)).toBe(expected);
  });
});

describe('SharedPool', () => {
  it('starts a server once for two workspaces, with the environment of the first', async () => {
    const { workspace, opened } = poolSetup();
    const [a, b] = [workspace('a'), workspace('b')];
    const leases = await Promise.all([a.lease(admitted()), b.lease(admitted())]);
    expect(new Set(leases.map(({ connection }) => connection)).size).toBe(1);
    expect(opened).toEqual(['a']);
  });

  it.each<{ title: string; said: [Share, Share]; passed: [string, string]; fields: Partial<Definition> }>([
    { title: 'that is shared by workspace', said: ['workspace', 'workspace'], passed: ['', ''], fields: {} },
    { title: 'with different passed variables', said: ['machine', 'machine'], passed: ['1', '2'], fields: {} },
  ])('starts a server $title once for each workspace', async ({ said, passed, fields }) => {
    const { workspace, opened } = poolSetup();
    await workspace('a', said[0], passed[0]).lease(admitted(fields));
    await workspace('b', said[1], passed[1]).lease(admitted(fields));
    expect(opened).toEqual(['a', 'b']);
  });

  it('starts an unshared server for each session, and stops it with the session', async () => {
    const { workspace, opened, closed } = poolSetup();
    const pool = workspace('a', 'session');
    const server = admitted();
    for (const session of ['1', '2', '1']) {
      using _lease = await pool.lease(server, { session });
    }
    expect(opened).toEqual(['a', 'a']);
    pool.endSession('1');
    expect(closed).toEqual(['a']);
    expect(pool.status(server).state).toBe('connected');
  });

  it.each([
    { title: 'the server was removed', change: (pool: Pool) => pool.retain([]), opened: ['a', 'a'] },
    { title: 'nothing changed', change: () => undefined, opened: ['a'] },
  ])('keeps its cache of slots correct if $title', async ({ change, opened: expected }) => {
    const { workspace, opened } = poolSetup();
    const [pool, server] = [workspace('a'), admitted()];
    for (let n = 0; n < 2; n += 1) (await pool.lease(server))[Symbol.dispose]();
    change(pool);
    (await pool.lease(server))[Symbol.dispose]();
    expect(opened).toEqual(expected);
  });

  it('does not share a server with other workspaces after it asked for roots', async () => {
    const { workspace, opened, events } = poolSetup();
    const [a, b, mine, theirs] = [workspace('a'), workspace('b'), admitted(), admitted()];
    for (const [pool, server] of [
      [a, mine],
      [b, theirs],
      [b, theirs],
    ] as const)
      (await pool.lease(server))[Symbol.dispose]();
    expect(opened).toEqual(['a']);
    events[0]?.onRootsRequest?.();
    (await b.lease(theirs))[Symbol.dispose]();
    expect(opened).toEqual(['a', 'b']);
  });

  it('sends notifications of a shared server to every workspace', async () => {
    const { workspace, heard, events } = poolSetup();
    await workspace('a').lease(admitted());
    await workspace('b').lease(admitted());
    events[0]?.onNotification('changed', {});
    expect(heard).toEqual(['a: changed', 'b: changed']);
  });

  it('keeps a server that asks for roots for the workspace that started it, and starts another for others', async () => {
    const { workspace, opened, heard, events } = poolSetup();
    const [a, b] = [workspace('a'), workspace('b')];
    const [ofA, ofB] = [admitted(), admitted()];
    await Promise.all([a.lease(ofA), b.lease(ofB)]);
    events[0]?.onRootsRequest?.();
    await Promise.all([a.lease(ofA), b.lease(ofB)]);
    expect(opened).toEqual(['a', 'b']);
    events[0]?.onNotification('changed', {});
    expect(heard).toEqual(['a: roots', 'a: changed']);
  });

  it('does not share a server that asks for roots while it starts', async () => {
    const { workspace, opened } = poolSetup((events) => events.onRootsRequest?.());
    const [a, b] = [workspace('a'), workspace('b')];
    const leases = await Promise.all([a.lease(admitted()), b.lease(admitted())]);
    expect(opened).toEqual(['a', 'b']);
    expect(leases[0]?.connection).not.toBe(leases[1]?.connection);
  });

  it('shares a server that asks for roots if the settings say so', async () => {
    const { workspace, opened } = poolSetup((events) => events.onRootsRequest?.());
    await workspace('a', 'machine').lease(admitted());
    await workspace('b', 'machine').lease(admitted());
    expect(opened).toEqual(['a']);
  });

  it('stops a shared server with the last workspace that uses it', async () => {
    const { workspace, closed, shared } = poolSetup();
    const [a, b] = [workspace('a'), workspace('b')];
    for (const pool of [a, b]) {
      using _lease = await pool.lease(admitted());
    }
    await a[Symbol.asyncDispose]();
    expect(closed).toEqual([]);
    expect(shared.running()).toMatchObject([{ state: 'connected', calls: 0 }]);
    await b[Symbol.asyncDispose]();
    expect(closed).toEqual(['a']);
    expect(shared.running()).toEqual([]);
  });
});

/** A workspace whose servers support both eras and send requests. `started` lists the eras of the starts. */
function twoEras({
  eras = { legacy: true, modern: true },
  opens = (wanted) => wanted,
}: {
  readonly eras?: SupportedEras;
  readonly opens?: (wanted: Era | undefined) => Era | undefined;
} = {}) {
  const started: (Era | undefined)[] = [];
  const closed: (Era | undefined)[] = [];
  const events: OpenEvents[] = [];
  const shared = new SharedPool({ log: silentLog });
  const pool = new Pool(
    {
      open: async (_server, told, _signal, wanted) => {
        started.push(wanted);
        events.push(told);
        const era = opens(wanted);
        return { connection: idleConnection(), ...(era && { era }), eras, close: async () => void closed.push(era) };
      },
      idleMs: () => 60_000,
      onNotification: () => undefined,
      erasOf: () => ({ supported: {}, asksClient: false }),
      log: silentLog,
    },
    shared,
  );
  const use = async (era?: Era, session?: string) => (await pool.lease(server, { era, session }))[Symbol.dispose]();
  const server = admitted();
  return { pool, shared, server, use, started, closed, events };
}

describe('a server of both eras', () => {
  it('runs once, in the era of the client that caused its start, until it sends a request to its client', async () => {
    const { shared, use, started, events } = twoEras();
    for (const era of ['legacy', 'modern', undefined] as const) await use(era);
    expect(started).toEqual(['legacy']);
    events[0]?.onClientRequest?.();
    for (const era of ['legacy', 'modern', 'modern', undefined] as const) await use(era);
    expect(started).toEqual(['legacy', 'modern']);
    expect(shared.running()).toMatchObject([{ era: 'legacy' }, { era: 'modern' }]);
    expect(shared.states()).toEqual({ connected: 2, starting: 0, disconnected: 0 });
  });

  it('is started once for simultaneous clients of both eras', async () => {
    const { use, started } = twoEras();
    await Promise.all([use('modern'), use('legacy'), use('modern')]);
    expect(started).toEqual(['modern']);
  });

  it('stops the process whose clients have disconnected, and keeps the other one', async () => {
    const { pool, shared, use, started, closed, events } = twoEras();
    await use('legacy', 'a');
    events[0]?.onClientRequest?.();
    await use('modern', 'b');
    await use('modern', 'c');
    pool.endSession('b');
    expect(closed).toEqual([]);
    pool.endSession('c');
    expect(closed).toEqual(['modern']);
    pool.endSession('a');
    expect(closed).toEqual(['modern']);
    expect(shared.states()).toEqual({ connected: 1, starting: 0, disconnected: 0 });
    await use('modern', 'd');
    expect(started).toEqual(['legacy', 'modern', 'modern']);
  });

  it('stops a process whose clients disconnected during a call after the call', async () => {
    const { pool, server, use, closed, events } = twoEras();
    await use('legacy', 'a');
    events[0]?.onClientRequest?.();
    const lease = await pool.lease(server, { era: 'modern', session: 'b' });
    pool.endSession('b');
    expect(closed).toEqual([]);
    lease[Symbol.dispose]();
    expect(closed).toEqual(['modern']);
  });

  it('is used by all clients through its first process if a second one does not start', async () => {
    const { pool, server, use, started, events } = twoEras({
      opens: (wanted) => {
        if (wanted === 'modern') throw new PortolanError(ErrorCode.ConnectionError, 'the port is in use');
        return wanted;
      },
    });
    await use('legacy');
    events[0]?.onClientRequest?.();
    await use('modern');
    expect(started).toEqual(['legacy', 'modern']);
    expect(pool.status(server)).toMatchObject({ state: 'connected', era: 'legacy' });
  });

  it('starts no second process of a server that does not support its era', async () => {
    const { use, started, events } = twoEras({ eras: { legacy: true, modern: false } });
    await use('legacy');
    events[0]?.onClientRequest?.();
    await use('modern');
    expect(started).toEqual(['legacy']);
  });

  it('stops a second process that turns out to run in the era of the first', async () => {
    const { use, started, closed, events } = twoEras({ eras: {}, opens: () => 'legacy' });
    await use('legacy');
    events[0]?.onClientRequest?.();
    await use('modern');
    expect(started).toEqual(['legacy', 'modern']);
    expect(closed).toEqual(['legacy']);
  });

  it('stops both processes on shutdown and when it is removed', async () => {
    const { shared, pool, use, closed, events } = twoEras();
    for (const end of [() => pool.retain([]), () => shared[Symbol.asyncDispose]()]) {
      await use('legacy');
      events.at(-1)?.onClientRequest?.();
      await use('modern');
      closed.length = 0;
      await end();
      expect(closed.toSorted()).toEqual(['legacy', 'modern']);
    }
  });
});
