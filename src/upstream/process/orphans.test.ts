import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listed } from '../../../tests/fixtures/children/marked-processes.js';
import { bundled, startGateway } from '../../../tests/fixtures/children/start-gateway.js';
import { identityOf, type ProcessIdentity } from '../../base/index.js';
import { killOrphans } from './orphans.js';

const server = join(dirname(fileURLToPath(import.meta.url)), '../../../tests/fixtures/children/server.mjs');

let home = '';
let folder = '';
const started: ChildProcess[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'portolan-orphans-'));
  folder = join(home, 'children');
  mkdirSync(folder, { mode: 0o700 });
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  await rm(home, { recursive: true });
});

function alive(pid: number): ProcessIdentity {
  const identity = identityOf(pid);
  if (identity === undefined) throw new Error(`${pid} does not run`);
  return identity;
}

async function running(detached = true): Promise<ProcessIdentity> {
  const child = spawn(process.execPath, [server, 'background'], { detached, stdio: ['ignore', 'pipe', 'ignore'] });
  started.push(child);
  await once(child.stdout, 'data');
  return alive(child.pid ?? 0);
}

const isRunning = ({ pid, start }: ProcessIdentity): boolean => identityOf(pid)?.start === start;
const dead = (): ProcessIdentity => ({ ...alive(process.pid), start: '7' });
const nameOf = ({ pid, start }: ProcessIdentity): string => `${pid}-${start}.json`;
const put = (name: string, value: unknown): void =>
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o600 });

describe.skipIf(process.platform === 'win32')('killOrphans', () => {
  it('ends the servers of a gateway that was killed together with its guardian', async () => {
    const program = await bundled('gateway');
    const servers = [
      { command: process.execPath, args: [server, 'stubborn'], ready: 1 },
      { command: 'sh', args: ['-c', `'${process.execPath}' '${server}' stubborn background & wait`], ready: 1 },
    ];
    const gateway = startGateway(program, { folder, pauseMs: 0, servers });
    await gateway.printed('ready');
    const children = gateway.lines.filter((line) => line.startsWith('started')).map((line) => Number(line.slice(8)));
    const [guardian] = (await listed()).filter(
      ({ parent, line }) => parent === gateway.process.pid && line.includes('portolan-guardian'),
    );
    const orphans = children.map(alive);
    // Stop the gateway first, so that it does not restart the guardian.
    gateway.process.kill('SIGSTOP');
    process.kill(guardian?.pid ?? 0, 'SIGKILL');
    gateway.process.kill('SIGKILL');
    await gateway.exited;
    expect(orphans.filter(isRunning)).toEqual(orphans);
    expect(await killOrphans(folder)).toEqual(children);
    expect(orphans.filter(isRunning)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    await rm(dirname(program), { recursive: true });
  });

  it('does not end servers of a running gateway', async () => {
    const [owner, leader] = await Promise.all([running(), running()]);
    put(nameOf(owner), { owner, leaders: [leader] });
    expect(await killOrphans(folder)).toEqual([]);
    expect([isRunning(leader), readdirSync(folder)]).toEqual([true, [nameOf(owner)]]);
  });

  it.each<{ title: string; change: (leader: ProcessIdentity) => unknown }>([
    { title: 'another start time', change: (leader) => ({ ...leader, start: `${leader.start}1` }) },
    { title: 'another boot id', change: (leader) => ({ ...leader, boot: 'other' }) },
  ])('ends no process with a recorded pid but $title, and removes the record', async ({ change }) => {
    const leader = await running();
    put(nameOf(dead()), { owner: dead(), leaders: [change(leader)] });
    expect(await killOrphans(folder)).toEqual([]);
    expect([isRunning(leader), readdirSync(folder)]).toEqual([true, []]);
  });

  it('ends no process that leads no group, and not itself', async () => {
    const member = await running(false);
    put(nameOf(dead()), { owner: dead(), leaders: [member, alive(process.pid)] });
    expect(await killOrphans(folder)).toEqual([]);
    expect(isRunning(member)).toBe(true);
  });

  it('removes records from before the last boot', async () => {
    const leader = await running();
    put('5-5.json', { owner: { boot: 'other', pid: 5, start: '5' }, leaders: [{ ...leader, boot: 'other' }] });
    expect(await killOrphans(folder)).toEqual([]);
    expect([isRunning(leader), readdirSync(folder)]).toEqual([true, []]);
  });

  it.runIf(process.platform === 'linux')(
    'keeps the record of another container, whose processes are invisible',
    async () => {
      const leader = await running();
      const [machine] = leader.boot.split(' ');
      const owner = { ...dead(), boot: `${machine} pid:[1]` };
      put(nameOf(owner), { owner, leaders: [leader] });
      expect(await killOrphans(folder)).toEqual([]);
      expect([isRunning(leader), readdirSync(folder)]).toEqual([true, [nameOf(owner)]]);
    },
  );

  it.each<{ title: string; write: (name: string, record: unknown) => unknown }>([
    {
      title: 'a link',
      write: (name, record) => [put('x', record), symlinkSync(join(folder, 'x'), join(folder, name))],
    },
    { title: 'a pipe', write: (name) => execFileSync('mkfifo', [join(folder, name)]) },
    { title: 'a folder', write: (name) => mkdirSync(join(folder, name)) },
    {
      title: 'a file that others may write',
      write: (name, record) => [put(name, record), chmodSync(join(folder, name), 0o622)],
    },
    {
      title: 'a file that is too large',
      write: (name, record) => put(name, JSON.stringify(record) + ' '.repeat(300_000)),
    },
    { title: 'text that is not JSON', write: (name) => put(name, '{') },
    { title: 'JSON that is not a record', write: (name) => put(name, '[7]') },
    { title: 'null', write: (name) => put(name, 'null') },
    { title: 'invalid leaders', write: (name) => put(name, { owner: dead(), leaders: [1, -1, null] }) },
    {
      title: 'pid 1, which kill() reads as all processes',
      write: (name) => put(name, { owner: dead(), leaders: [{ ...dead(), pid: 1 }] }),
    },
    { title: 'a record under another name', write: (_, record) => put('5-5.json', record) },
    { title: 'an invalid file name', write: (_, record) => put('record.json', record) },
  ])('ignores $title', async ({ write }) => {
    const leader = await running();
    write(nameOf(dead()), { owner: dead(), leaders: [leader] });
    const before = readdirSync(folder);
    expect(await killOrphans(folder)).toEqual([]);
    expect([isRunning(leader), readdirSync(folder)]).toEqual([true, before]);
  });

  it.each<{ title: string; name: string; change: (path: string) => void }>([
    { title: 'does not exist', name: 'gone', change: () => undefined },
    { title: 'is a link', name: 'link', change: (path) => symlinkSync(folder, path) },
    { title: 'others may write to', name: 'children', change: (path) => chmodSync(path, 0o777) },
    { title: 'is a file', name: 'file', change: (path) => writeFileSync(path, '') },
  ])('reads no folder that $title', async ({ name, change }) => {
    const leader = await running();
    put(nameOf(dead()), { owner: dead(), leaders: [leader] });
    change(join(home, name));
    expect(await killOrphans(join(home, name))).toEqual([]);
    expect(isRunning(leader)).toBe(true);
  });

  it('ends the process if the directory and the record are valid', async () => {
    const leader = await running();
    put(nameOf(dead()), { owner: dead(), leaders: [leader] });
    expect(await killOrphans(folder)).toEqual([leader.pid]);
    expect([isRunning(leader), readdirSync(folder)]).toEqual([false, []]);
  });

  it('removes unfinished records once they are old', async () => {
    put('5-5.tmp', 'half');
    put('6-6.tmp', 'half');
    utimesSync(join(folder, '5-5.tmp'), 1, 1);
    await killOrphans(folder);
    expect(existsSync(join(folder, '5-5.tmp'))).toBe(false);
    expect(readFileSync(join(folder, '6-6.tmp'), 'utf8')).toBe('half');
  });
});
