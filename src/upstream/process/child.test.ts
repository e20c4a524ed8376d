import { fstatSync, statSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorCode, entryOf, identityOf, PortolanError } from '../../base/index.js';
import { type Child, type ChildOptions, startChild } from './child.js';
import { type Guardian, startGuardian } from './guardian.js';

const server = join(dirname(fileURLToPath(import.meta.url)), '../../../tests/fixtures/children/server.mjs');
const node = process.execPath;
const LIMIT_MS = 10_000;
const env = { PATH: process.env.PATH ?? '' };

let folder = '';
let guardian: Guardian;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portolan-child-'));
  guardian = startGuardian({ folder: join(folder, 'children') });
});
afterAll(async () => {
  await guardian[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const start = (command: string, args: readonly string[], more: Partial<ChildOptions> = {}): Promise<Child> =>
  startChild({ command, args, env, cwd: folder, guardian, ...more });

async function textOf({ stdout }: Child): Promise<string> {
  let text = '';
  for await (const chunk of stdout) text += chunk;
  return text;
}

/** The pids of the servers in a child, once `count` servers have printed theirs. */
async function pidsOf({ stdout }: Child, count = 1): Promise<number[]> {
  let text = '';
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const pids = [...text.matchAll(/ready (\d+)\n/g)].map(([, pid]) => Number(pid));
    if (pids.length === count) return pids;
  }
  throw new Error(`ended before it was ready: ${text}`);
}

const living = (pids: readonly number[]): number[] => pids.filter((pid) => identityOf(pid) !== undefined);

describe('startChild', () => {
  it('gives a program its arguments as they are, its environment and nothing else', { tags: 'S4' }, async () => {
    const odd = ['$(touch evil)', '; exit 3', '`id`', "it's", '"', '*', 'a\nb', ''];
    const script = 'process.stdout.write(JSON.stringify([process.argv.slice(1), process.env, process.cwd()]))';
    const child = await start(node, ['-e', script, '--', ...odd], { env: { ...env, OWN: '$HOME' } });
    expect(JSON.parse(await textOf(child))).toEqual([odd, { ...env, OWN: '$HOME' }, folder]);
    expect(await child.exited).toEqual({ code: 0, signal: null });
    await child.stop();
  });

  it.runIf(process.platform === 'linux')('gives the child the mark of the guardian as descriptor 3', async () => {
    const child = await start(node, ['-e', 'process.stdin.resume()']);
    const held = statSync(`/proc/${child.pid}/fd/3`);
    expect(held.ino).toBe(fstatSync(Number(guardian.prepare())).ino);
    await child.stop();
  });

  it('connects stdin and stdout', async () => {
    const child = await start(node, ['-e', 'process.stdin.pipe(process.stdout)']);
    child.stdin.end('hello');
    expect(await textOf(child)).toBe('hello');
    await child.stop();
  });

  it('keeps stderr and masks secrets', async () => {
    const script = 'console.error("key is " + process.env.KEY); process.exit(7)';
    const child = await start(node, ['-e', script], { env: { ...env, KEY: 'hunter2!' }, secrets: ['hunter2!'] });
    expect(await child.exited).toEqual({ code: 7, signal: null });
    await child.stop();
    expect(child.stderr.lastLines(5)).toEqual(['key is [secret]']);
  });

  it('survives writes to a stdin that the child has closed', async () => {
    const child = await start(node, ['-e', 'process.exit(0)']);
    await child.exited;
    child.stdin.write('x'.repeat(1_000_000));
    child.stdin.write('x');
    await child.stop();
    expect(living([child.pid])).toEqual([]);
  });

  it.each<{ title: string; options: () => Partial<ChildOptions>; says: string; hint: string }>([
    { title: 'does not exist', options: () => ({ command: 'no-such-server' }), says: '(ENOENT)', hint: 'PATH' },
    { title: 'has no name', options: () => ({ command: '' }), says: '(ENOENT)', hint: 'PATH' },
    {
      title: 'is not executable',
      options: () => ({ command: join(folder, 'text') }),
      says: '(EACCES)',
      hint: 'executable',
    },
    { title: 'is a folder', options: () => ({ command: folder }), says: '(EACCES)', hint: 'executable' },
    {
      title: 'has a working folder that does not exist',
      options: () => ({ cwd: join(folder, 'gone') }),
      says: 'working directory',
      hint: 'cwd',
    },
    {
      title: 'has a file as its working folder',
      options: () => ({ cwd: join(folder, 'text') }),
      says: 'working directory',
      hint: 'cwd',
    },
    { title: 'has a NUL in an argument', options: () => ({ args: ['a', 'hunter2!\0'] }), says: 'argument 2', hint: '' },
    {
      title: 'has a NUL in a variable',
      options: () => ({ env: { ...env, KEY: 'hunter2!\0' } }),
      says: 'the variable KEY',
      hint: 'remove',
    },
    {
      title: 'has arguments over the system limit',
      options: () => ({ args: Array.from({ length: 60 }, () => 'hunter2!'.repeat(10_000)) }),
      says: '(E2BIG)',
      hint: 'shorten',
    },
  ])('reports a program that $title with a hint and without any value', async ({ options, says, hint }) => {
    await writeFile(join(folder, 'text'), 'no program');
    await chmod(join(folder, 'text'), 0o644);
    const secret = { env: { ...env, KEY: 'hunter2!' }, args: ['hunter2!'] };
    const error = await start(node, [], { ...secret, ...options() }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PortolanError);
    expect(error).toMatchObject({
      code: ErrorCode.ConnectionError,
      message: expect.stringContaining(says),
      hint: expect.stringContaining(hint),
    });
    const {
      message,
      hint: shown,
      stack,
      cause,
    } = error instanceof PortolanError ? error : new PortolanError('USAGE', '');
    expect(`${message}${shown}${stack}${JSON.stringify(cause)}`).not.toContain('hunter2!');
  });
});

describe.skipIf(process.platform === 'win32')('stop', () => {
  it.each([
    // The server exits long before this limit.
    {
      title: 'lets a server exit that reads its stdin',
      words: ['polite'],
      graceMs: 5_000,
      exit: { code: 0, signal: null },
    },
    {
      title: 'sends SIGTERM to a server that ignores its stdin',
      words: ['background'],
      graceMs: 300,
      exit: { code: null, signal: 'SIGTERM' },
    },
    {
      title: 'sends SIGKILL to a server that ignores SIGTERM',
      words: ['stubborn'],
      graceMs: 300,
      exit: { code: null, signal: 'SIGKILL' },
    },
  ])('$title', async ({ words, graceMs, exit }) => {
    const child = await start(node, [server, ...words]);
    const pids = await pidsOf(child);
    expect(entryOf(child.pid)).toMatchObject({ group: child.pid, session: child.pid });
    await Promise.all([child.stop({ graceMs }), child.stop()]);
    expect(living(pids)).toEqual([]);
    expect(await child.exited).toEqual(exit);
    await child.stop();
  });

  it.each([
    { title: 'behind a shell', line: `'${node}' '${server}' background & '${node}' '${server}' polite`, count: 2 },
    { title: 'that ignore SIGTERM', line: `'${node}' '${server}' stubborn & '${node}' '${server}' stubborn`, count: 2 },
    { title: 'in a session of their own', line: `'${node}' '${server}' stubborn detaches; exit`, count: 2 },
    { title: 'in a group of their own', line: `set -m; '${node}' '${server}' background & wait`, count: 1 },
  ])('ends processes $title', async ({ line, count }) => {
    const child = await start('sh', ['-c', line]);
    const pids = await pidsOf(child, count);
    expect(living(pids)).toEqual(pids);
    await child.stop({ graceMs: 300 });
    expect(living([child.pid, ...pids])).toEqual([]);
  });

  it('is not needed to end the child processes of a server that exits', async () => {
    const child = await start('sh', ['-c', `'${node}' '${server}' stubborn background & read line; exit 3`]);
    const pids = await pidsOf(child);
    expect(living(pids)).toEqual(pids);
    child.stdin.write('\n');
    expect(await child.exited).toEqual({ code: 3, signal: null });
    const deadline = performance.now() + LIMIT_MS;
    while (living(pids).length > 0 && performance.now() < deadline) await new Promise((go) => setTimeout(go, 50));
    expect(living(pids)).toEqual([]);
    await child.stop();
  });

  it('ends a descendant in its own session although its parent has crashed', async () => {
    const watched = new Set<number>();
    const noting: Guardian = {
      prepare: () => guardian.prepare(),
      watch: (group) => {
        watched.add(group);
        guardian.watch(group);
      },
      release: (group) => guardian.release(group),
      [Symbol.asyncDispose]: () => guardian[Symbol.asyncDispose](),
    };
    const child = await start(node, [server, 'background', 'detaches'], { guardian: noting, firstSearchMs: 50 });
    const pids = await pidsOf(child, 2);
    await expect.poll(() => pids.filter((pid) => !watched.has(pid))).toEqual([]);
    process.kill(child.pid, 'SIGKILL');
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await child.stop();
    expect(living(pids)).toEqual([]);
  });
});
