import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bundleInto, Worker } from '../../tests/fixtures/registry/start-worker.js';
import { identityOf } from '../base/index.js';
import { type RegisteredServer, serverId } from './server-info.js';
import { ServerRegistry } from './server-registry.js';

/** A project that collects all warnings. */
class Project implements Disposable {
  readonly top = mkdtempSync(join(tmpdir(), 'portolan-registry-'));
  readonly view = join(this.top, '.portolan', 'mcp_servers.json');
  readonly folder = join(this.top, '.portolan', 'servers.d');
  readonly warnings: string[] = [];

  open(heartbeatMs = 30_000): ServerRegistry {
    const clocks = { now: () => Date.UTC(2026, 0, 1), uptime: () => 500 };
    return new ServerRegistry(this.view, { warn: (message) => void this.warnings.push(message), heartbeatMs, clocks });
  }

  viewed(): unknown {
    const { version, servers } = JSON.parse(readFileSync(this.view, 'utf8'));
    return { version, servers };
  }

  [Symbol.dispose](): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}

const ids = (servers: readonly RegisteredServer[]): string[] => servers.map(({ id }) => id);

async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > deadline) expect.unreachable('it never came');
    await pause(20);
  }
}

const http = { enabled: true, host: '127.0.0.1', port: 8000, url: 'http://127.0.0.1:8000/mcp' };

describe('ServerRegistry', () => {
  it('writes one file per server and a view for other programs', async () => {
    using project = new Project();
    await using registry = project.open();
    const id = serverId('nabu_mcp', process.pid);
    await registry.registerServer(id, {
      name: 'nabu_mcp',
      stdio_active: true,
      http,
      cwd: '/srv',
      tools: ['a', 'b'],
      capabilities: { tools: {} },
      requests: 3,
    });
    const entry = {
      name: 'nabu_mcp',
      pid: process.pid,
      stdio_active: true,
      http,
      started_at: '2026-01-01T00:00:00.000Z',
      cwd: '/srv',
      transports: [{ type: 'stdio' }, { type: 'http', url: http.url }],
      tools: ['a', 'b'],
      capabilities: { tools: {} },
      start_identity: identityOf(process.pid) ?? { boot: '', pid: process.pid, start: '' },
      heartbeat: '2026-01-01T00:00:00.000Z',
      heartbeat_uptime: 500,
      uptime_seconds: 0,
      requests: 3,
    };
    expect(project.viewed()).toEqual({ version: '1.0', servers: { [id]: entry } });
    expect(await registry.listServers()).toEqual([{ id, ...entry, liveness: 'alive' }]);
    expect(readdirSync(project.folder)).toEqual([expect.stringMatching(/^nabu_mcp_\d+\.[0-9a-f]{16}\.json$/)]);
    if (process.platform !== 'win32') {
      const modes = [project.folder, project.view].map((path) => statSync(path).mode & 0o777);
      expect(modes).toEqual([0o700, 0o600]);
    }
    await registry.unregisterServer(id);
    expect(project.viewed()).toEqual({ version: '1.0', servers: {} });
    expect([readdirSync(project.folder), project.warnings]).toEqual([[], []]);
  });

  it('has its view in the directory where it was created, unless configured otherwise', async () => {
    expect(new ServerRegistry().path).toBe(join(process.cwd(), '.portolan', 'mcp_servers.json'));
  });

  it('lists nothing and creates nothing without announcements', async () => {
    using project = new Project();
    expect(await project.open().listServers()).toEqual([]);
    await project.open().unregisterServer('a_1');
    expect([readdirSync(project.top), project.warnings]).toEqual([[], []]);
  });

  it.each(['', '../up_1', 'a/b_1', '.hidden_1', 'a b_1', 'x'.repeat(200)])(
    'warns of the id %j and continues',
    async (id) => {
      using project = new Project();
      await using registry = project.open();
      await registry.registerServer(id, {});
      expect([project.warnings, readdirSync(project.top)]).toEqual([[expect.stringContaining('id of a server')], []]);
    },
  );

  it('warns if the process does not exist', async () => {
    using project = new Project();
    await using registry = project.open();
    await registry.registerServer('gone_1', { pid: 2 ** 31 - 1 });
    expect([project.warnings, await registry.listServers()]).toEqual([
      [expect.stringContaining('there is no process')],
      [],
    ]);
  });

  it('replaces the previous announcement of an id, even for another process', async () => {
    using project = new Project();
    await using registry = project.open();
    await registry.registerServer('a_1', { tools: ['old'] });
    await registry.registerServer('a_1', { tools: ['new'], pid: process.ppid });
    const listed = (await registry.listServers()).map(({ pid, tools }) => ({ pid, tools }));
    expect(listed).toEqual([{ pid: process.ppid, tools: ['new'] }]);
    expect([readdirSync(project.folder).length, project.warnings]).toEqual([1, []]);
  });

  it('withdraws through any registry object of the process, permanently', async () => {
    using project = new Project();
    await using registry = project.open(20);
    await registry.registerServer('a_1', {});
    await project.open().unregisterServer('a_1');
    await pause(100); // several heartbeats, none of which writes it again
    expect([await registry.listServers(), readdirSync(project.folder)]).toEqual([[], []]);
  });

  it('withdraws on disposal only the servers announced through it', async () => {
    using project = new Project();
    await using other = project.open();
    await other.registerServer('other_1', {});
    {
      await using registry = project.open();
      await Promise.all([registry.registerServer('a_1', {}), registry.registerServer('b_1', {})]);
      expect(ids(await other.listServers())).toEqual(['a_1', 'b_1', 'other_1']);
    }
    expect(ids(await other.listServers())).toEqual(['other_1']);
    {
      await using registry = project.open();
      await registry.registerServer('a_1', {});
      await other.registerServer('a_1', {});
    }
    expect(ids(await other.listServers())).toEqual(['a_1', 'other_1']);
  });

  it('keeps servers of other processes, and removes those of dead ones', async () => {
    using project = new Project();
    const program = await bundleInto(project.top);
    await using registry = project.open();
    await using worker = new Worker(program, project.view);
    await worker.tell({ register: 'theirs_1' });
    await worker.tell({ register: 'ours_1', pid: process.pid });
    await registry.unregisterServer('theirs_1');
    expect(project.warnings).toEqual([expect.stringContaining(`announced by process ${worker.pid}`)]);
    expect(ids(await registry.listServers())).toEqual(['ours_1', 'theirs_1']);
    await worker.kill();
    expect(ids(await registry.listServers())).toEqual(['ours_1']); // its process is alive
    await registry.unregisterServer('ours_1');
    expect([await registry.listServers(), readdirSync(project.folder)]).toEqual([[], []]);
  });

  it('updates counters at each heartbeat, and restores deleted files', async () => {
    using project = new Project();
    let requests = 1;
    await using registry = project.open(50);
    await registry.registerServer('a_1', { requests: () => requests });
    requests = 2;
    await eventually(async () => (await registry.listServers())[0]?.requests === 2);
    rmSync(join(project.top, '.portolan'), { recursive: true });
    await eventually(async () => (await registry.listServers()).length === 1);
    await registry.unregisterServer('a_1');
    expect(project.viewed()).toEqual({ version: '1.0', servers: {} });
  });

  it('withdraws a server announced for another process when that process ends', async () => {
    using project = new Project();
    await using registry = project.open(50);
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => 0, 60_000)'], { stdio: 'ignore' });
    const pid = child.pid ?? 0;
    await registry.registerServer(serverId('child', pid), { pid });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await registry.listServers()).toEqual([]);
    await eventually(() => !readFileSync(project.view, 'utf8').includes(serverId('child', pid)));
    expect([project.viewed(), readdirSync(project.folder)]).toEqual([{ version: '1.0', servers: {} }, []]);
  });

  it('reports to watchers when a server starts, stops or is killed', async () => {
    using project = new Project();
    const program = await bundleInto(project.top);
    await using worker = new Worker(program, project.view);
    await using registry = project.open();
    const seen: string[][] = [];
    for await (const servers of registry.watch()) {
      seen.push(ids(servers));
      if (seen.length === 1) await registry.registerServer('mine_1', {});
      if (seen.length === 2) await worker.tell({ register: 'theirs_1' });
      if (seen.length === 3) await worker.kill();
      if (seen.length === 4) await registry.unregisterServer('mine_1');
      if (seen.length === 5) break;
    }
    expect(seen).toEqual([[], ['mine_1'], ['mine_1', 'theirs_1'], ['mine_1'], []]);
  });

  it.each(['the signal', 'the registry'])('ends a watch with %s', async (what) => {
    using project = new Project();
    const ending = new AbortController();
    await using registry = project.open();
    const seen: string[][] = [];
    for await (const servers of registry.watch({ signal: ending.signal })) {
      seen.push(ids(servers));
      setTimeout(() => (what === 'the signal' ? ending.abort() : registry[Symbol.asyncDispose]()), 20);
    }
    expect(seen).toEqual([[]]);
  });
});

describe('serverId', () => {
  it.each([
    { name: 'nabu_mcp', id: 'nabu_mcp_7' },
    { name: '@scope/my server', id: 's_scope_my_server_7' },
    { name: '../../etc', id: 's.._.._etc_7' },
    { name: 'é'.repeat(300), id: 's__7' },
    { name: 'x'.repeat(300), id: `${'x'.repeat(157)}_7` },
  ])('returns $id', ({ name, id }) => {
    expect(serverId(name, 7)).toBe(id);
  });
});
