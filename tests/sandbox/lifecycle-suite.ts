import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import {
  type Capability,
  DEFAULT_LIMITS,
  type EngineName,
  type Limits,
  type Sandbox,
  WrittenResult,
} from '../../src/sandbox/index.js';
import { describeEngines, folder, open } from './installed-engines.js';
import { SERVERS, shopTools } from './shop-servers.js';

const TEST_MS = 180_000;
const never = new AbortController().signal;

interface Options {
  readonly session?: string;
  readonly limits?: Partial<Limits>;
  readonly signal?: AbortSignal;
  readonly call?: Capability;
}

const run = (sandbox: Sandbox, code: string, { session, limits, signal = never, call = shopTools() }: Options = {}) =>
  sandbox.run(
    { code, servers: SERVERS, ...(session !== undefined && { session }) },
    call,
    { ...DEFAULT_LIMITS, timeoutMs: 60_000, ...limits },
    signal,
  );

/** Tests the guarantees of every engine in each installed engine. */
export async function lifecycleSuite(engines: readonly EngineName[]): Promise<void> {
  await describeEngines(engines, (engine) => `a sandbox with ${engine}`, inEngine);
}

function inEngine(engine: string): void {
  const sandbox = open(engine);
  afterAll(() => sandbox[Symbol.asyncDispose]());

  it('reports the engine and its guarantees', { timeout: TEST_MS }, async () => {
    const { guarantees } = await sandbox.engine();
    const outcome = await run(
      sandbox,
      'print("out")\nimport sys\nprint("err", file=sys.stderr)\n{"a": [1, 2.5, None]}',
    );
    expect(outcome).toEqual({
      kind: 'value',
      value: { text: "{'a': [1, 2.5, None]}", json: { a: [1, 2.5, null] } },
      output: {
        ...{ stdout: 'out\n', stderr: 'err\n', files: [], truncated: [], hostCalls: 0, stateLost: false },
        ...{ engine, guarantees, durationMs: expect.any(Number) },
      },
    });
  });

  it('keeps nothing between runs without a session', { timeout: TEST_MS }, async () => {
    await run(sandbox, 'kept = 1\nopen("kept.txt", "w").write("x")');
    const outcome = await run(sandbox, 'import os\n("kept" in globals(), os.listdir())');
    expect(outcome).toMatchObject({ kind: 'value', value: { text: '(False, [])' } });
  });

  it('keeps variables, functions, imports and files of a session', { timeout: TEST_MS }, async () => {
    const session = 'kept';
    const first = await run(
      sandbox,
      'import math\ndef f(x):\n    return math.floor(x) + n\nn = 2\nopen("a.txt", "w").write("hi")',
      { session },
    );
    const second = await run(sandbox, 'print(f(3.7), open("a.txt").read(), _)\nopen("b.bin", "wb").write(b"\\xff")', {
      session,
    });
    expect([first.output.files, second.output.stdout, second.output.files, second.output.stateLost]).toEqual([
      [{ path: 'a.txt', bytes: 2, text: 'hi' }],
      '5 hi 2\n',
      [{ path: 'b.bin', bytes: 1, base64: '/w==' }],
      false,
    ]);
  });

  it('calls a function of a blocking program without await in an async program', { timeout: TEST_MS }, async () => {
    const session = 'modes';
    await run(sandbox, 'def price(id):\n    return mcp_shop.get_item(id=id)["price"]', { session });
    const outcome = await run(sandbox, 'x = await mcp_shop.get_item(id=1)\nx["price"] + price(2)', { session });
    expect(outcome).toMatchObject({ kind: 'value', value: { text: '30' } });
  });

  it('runs the programs of one session in order', { timeout: TEST_MS }, async () => {
    const session = 'order';
    await run(sandbox, 'log = []', { session });
    const code = (n: number) => `import time\nlog.append(${n})\ntime.sleep(0.05)\nlog.append(${n})\nlog`;
    const outcomes = await Promise.all([1, 2, 3].map((n) => run(sandbox, code(n), { session })));
    expect(outcomes.at(-1)).toMatchObject({ kind: 'value', value: { text: '[1, 1, 2, 2, 3, 3]' } });
  });

  it('reports once that the state of a stopped session is lost', { timeout: TEST_MS }, async () => {
    const session = 'stopped';
    await run(sandbox, 'n = 1', { session });
    const stopped = await run(sandbox, 'print("before")\nwhile True: pass', { session, limits: { timeoutMs: 1_000 } });
    const after = await run(sandbox, '"n" in globals()', { session });
    expect([stopped, after]).toMatchObject([
      {
        kind: 'stopped',
        limit: 'timeoutMs',
        message: 'stopped after 1 s',
        output: { stdout: 'before\n', stateLost: true },
      },
      { kind: 'value', value: { text: 'False' }, output: { stateLost: false } },
    ]);
  });

  it('reports lost state after a session was evicted for newer ones', { timeout: TEST_MS }, async () => {
    if (engine !== 'bwrap') return; // nine interpreters with 200 MB each need too much memory
    await run(sandbox, 'n = 1', { session: 'first' });
    for (let n = 0; n < 8; n += 1) await run(sandbox, 'n = 2', { session: `newer ${n}` });
    const outcome = await run(sandbox, '"n" in globals()', { session: 'first' });
    expect(outcome).toMatchObject({ kind: 'value', value: { text: 'False' }, output: { stateLost: true } });
  });

  it('cancels a run and its calls', { timeout: TEST_MS }, async () => {
    const cancel = new AbortController();
    const signals: AbortSignal[] = [];
    const call: Capability = (_, signal) => {
      signals.push(signal);
      setTimeout(() => cancel.abort(), 50);
      return new Promise(() => undefined);
    };
    const outcome = await run(sandbox, 'print(1)\nmcp_shop.count()', { signal: cancel.signal, call });
    expect(outcome).toMatchObject({ kind: 'stopped', limit: 'cancelled', output: { stdout: '1\n', hostCalls: 1 } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('does not start a run that is already cancelled', { timeout: TEST_MS }, async () => {
    const outcome = await run(sandbox, 'print(1)', { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ kind: 'stopped', limit: 'cancelled', output: { stdout: '', hostCalls: 0 } });
  });

  it('cancels a call that the code no longer awaits', { timeout: TEST_MS }, async () => {
    let isAborted = false;
    const call: Capability = (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          isAborted = true;
          resolve(0);
        });
      });
    const code =
      'import asyncio\ntry:\n    await asyncio.wait_for(mcp_shop.count(), 0.05)\nexcept TimeoutError:\n    print("late")';
    const outcome = await run(sandbox, `${code}\nawait asyncio.sleep(0.1)`, { call });
    expect({ stdout: outcome.output.stdout, isAborted }).toEqual({ stdout: 'late\n', isAborted: true });
  });

  it('keeps large integers of a result exact', { timeout: TEST_MS }, async () => {
    const call: Capability = async () =>
      new WrittenResult(Buffer.from('{"structuredContent":{"n":12345678901234567891}}'));
    const outcome = await run(sandbox, 'mcp_shop.count()["n"] + 1', { call });
    expect(outcome).toMatchObject({ kind: 'value', value: { text: '12345678901234567892' } });
  });

  it('lists only enabled tools, and forwards calls of disabled and unlisted tools', { timeout: TEST_MS }, async () => {
    const servers = [
      { name: 'ruled', alias: 'ruled', tools: [{ name: 'on', alias: 'on' }], refused: [{ name: 'off', alias: 'off' }] },
      { name: 'new', alias: 'new', tools: [], unlisted: true },
    ];
    const forwarded: string[] = [];
    const call: Capability = async (request) => {
      if (request.kind === 'tool') forwarded.push(`${request.server}/${request.tool}`);
      return { content: [] };
    };
    const code = `
from mcp.servers.new import third
mcp_ruled.on(), mcp_ruled.off(), mcp_new.first(), mcp_new["second-one"](), third()
try:
    mcp_ruled.other()
except AttributeError as e:
    print(e)
print(dir(mcp_ruled), [sorted(server) for server in AVAILABLE_SERVERS])`;
    const limits = { ...DEFAULT_LIMITS, timeoutMs: 60_000 };
    const { output } = await sandbox.run({ code, servers }, call, limits, never);
    expect(output.stdout).toBe(
      "server 'ruled' has no tool 'other'\n['on'] [['alias', 'name', 'tools'], ['alias', 'name', 'tools']]\n",
    );
    expect(forwarded).toEqual(['ruled/on', 'ruled/off', 'new/first', 'new/second-one', 'new/third']);
  });

  it('stops the interpreter of a forgotten session', { timeout: TEST_MS }, async () => {
    await run(sandbox, 'n = 1', { session: 'left' });
    await sandbox.forget('left');
    const outcome = await run(sandbox, '"n" in globals()', { session: 'left' });
    expect(outcome).toMatchObject({ kind: 'value', value: { text: 'False' }, output: { stateLost: false } });
  });

  it('truncates output with a mark, and the program continues', { timeout: TEST_MS }, async () => {
    const code = 'print("ä" * 100)\nimport sys\nprint("short", file=sys.stderr)\n"r" * 200';
    const outcome = await run(sandbox, code, { limits: { outputBytes: 50 } });
    expect(outcome).toMatchObject({
      kind: 'value',
      value: { text: `'${'r'.repeat(49)}\n[truncated: more than 50 bytes]` },
      output: {
        stdout: `${'ä'.repeat(25)}\n[truncated: more than 50 bytes]`,
        stderr: 'short\n',
        truncated: ['stdout', 'result'],
      },
    });
  });

  it('lists files over the size limit without their content', { timeout: TEST_MS }, async () => {
    const code = 'open("a", "w").write("x" * 30)\nopen("b", "w").write("y" * 5)\nNone';
    const outcome = await run(sandbox, code, { limits: { fileBytes: 10 } });
    expect(outcome).toMatchObject({
      output: {
        files: [
          { path: 'a', bytes: 30 },
          { path: 'b', bytes: 5, text: 'yyyyy' },
        ],
        truncated: ['files'],
      },
    });
  });

  it('returns only regular files', { timeout: TEST_MS }, async () => {
    const code = [
      'import os',
      'os.mkdir("d")',
      'for make in (lambda: os.mkfifo("fifo"), lambda: os.mkfifo("d/fifo"), lambda: os.symlink("d/fifo", "to-fifo"),',
      '        lambda: os.symlink("/dev/zero", "to-device"), lambda: os.symlink("/usr", "to-folder")):',
      '    try:',
      '        make()',
      '    except (OSError, AttributeError):',
      '        pass', // Pyodide has no FIFOs
      'open("d/file", "w").write("x")',
      'None',
    ].join('\n');
    const outcome = await run(sandbox, code, { limits: { timeoutMs: 15_000 } });
    expect(outcome).toMatchObject({ kind: 'value', output: { files: [{ path: 'd/file', bytes: 1, text: 'x' }] } });
  });

  it('runs 20 calls of 100 ms at the same time', { timeout: TEST_MS }, async () => {
    const code = [
      'import asyncio, time',
      'began = time.monotonic()',
      'await mcp_shop.slow(ms=100)',
      'one = time.monotonic() - began',
      'began = time.monotonic()',
      'await asyncio.gather(*[mcp_shop.slow(ms=100) for _ in range(20)])',
      '(time.monotonic() - began) / one',
    ].join('\n');
    const outcome = await run(sandbox, code);
    expect(outcome.kind === 'value' && Number(outcome.value?.text)).toBeLessThan(5); // sequential calls would give 20
  });

  it('runs programs of several clients at the same time', { timeout: TEST_MS }, async () => {
    const outcomes = await Promise.all([1, 2, 3].map((n) => run(sandbox, `mcp_shop.get_item(id=${n})["name"]`)));
    expect(outcomes.map((one) => one.kind === 'value' && one.value?.text)).toEqual([
      "'item 1'",
      "'item 2'",
      "'item 3'",
    ]);
  });

  it('leaves no process when it is closed', { tags: 'G10', timeout: TEST_MS }, async () => {
    const mine = open(engine);
    await run(mine, '1', { session: 's' });
    await run(mine, '2');
    expect(descendants(process.pid).length).toBeGreaterThan(0);
    await sandbox[Symbol.asyncDispose]();
    await mine[Symbol.asyncDispose]();
    await expect.poll(() => descendants(process.pid), { timeout: 5_000 }).toEqual([]);
  });

  it('leaves no process when it is closed while an interpreter starts', { tags: 'G10', timeout: TEST_MS }, async () => {
    // Closes at different moments of the start, because bubblewrap can leave a child process if it is killed early.
    for (let n = 0; n < (engine === 'bwrap' ? 15 : 2); n += 1) {
      const mine = open(engine);
      await mine.engine();
      await mine.warm(DEFAULT_LIMITS);
      await new Promise((resolve) => setTimeout(resolve, 2 * n));
      await mine[Symbol.asyncDispose]();
    }
    await expect.poll(orphans, { timeout: 5_000 }).toEqual([]);
  });

  it('leaves no process when the gateway is killed while code runs', { tags: 'G10', timeout: TEST_MS }, async () => {
    const host = await startHost(engine);
    const guests = descendants(host.pid ?? 0).map(({ pid }) => pid);
    expect(guests.length).toBeGreaterThan(0);
    host.kill('SIGKILL');
    await expect.poll(() => guests.filter(isAlive), { timeout: 5_000 }).toEqual([]);
  });
}

interface Process {
  readonly pid: number;
  readonly command: string;
}

/** All descendants of a process, except the `ps` that lists them. */
function descendants(root: number): readonly Process[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).trim().split('\n');
  const all = rows.flatMap((row) => {
    const [, pid, parent, state, command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row) ?? [];
    return state?.startsWith('Z') || command.startsWith('ps ')
      ? []
      : [{ pid: Number(pid), parent: Number(parent), command }];
  });
  const found: Process[] = [];
  const parents = [root];
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    for (const { pid, command } of all.filter((one) => one.parent === parent)) {
      if (/esbuild/.test(command)) continue;
      parents.push(pid);
      found.push({ pid, command: command.slice(0, 60) });
    }
  }
  return found;
}

/** Orphans with the test directory or the hostname of the sandbox in their command line. */
function orphans(): readonly string[] {
  const rows = execFileSync('ps', ['-A', '-o', 'ppid=,args='], { encoding: 'utf8' }).split('\n');
  return rows.filter((row) => /^\s*1\s/.test(row) && (row.includes(folder) || row.includes('--hostname sandbox')));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^Z/.test(execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }));
  } catch {
    return false;
  }
}

/** A directory from which the host program can resolve Pyodide. */
const place = mkdtempSync(fileURLToPath(new URL('../../node_modules/.portolan-host-', import.meta.url)));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Starts a process with a sandbox and an endless program. Resolves when the program runs. */
async function startHost(engine: string): Promise<ChildProcess> {
  const outfile = join(place, 'sandbox.mjs');
  const entry = fileURLToPath(new URL('../../src/sandbox/index.ts', import.meta.url));
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  const script = `
    import { DEFAULT_LIMITS, openSandbox } from ${JSON.stringify(outfile)};
    const sandbox = openSandbox({ engine: ${JSON.stringify(engine)}, folder: ${JSON.stringify(folder)}, log: () => {} });
    const tool = { name: 'begun', alias: 'begun' };
    const job = { code: 'mcp_x.begun()\\nwhile True: pass', servers: [{ name: 'x', alias: 'x', tools: [tool] }] };
    const call = async () => { process.stdout.write('begun'); };
    await sandbox.run(job, call, { ...DEFAULT_LIMITS, timeoutMs: 120000 }, new AbortController().signal);`;
  const host = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    host.stdout.once('data', () => resolve());
    host.once('exit', (code) => reject(new Error(`the host exited with ${code}`)));
  });
  return host;
}
