import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { silentLog } from '../../src/base/index.js';
import type { GuestProcess } from '../../src/sandbox/engine.js';
import { BWRAP_PROBE, bwrapEngine, bwrapGuest } from '../../src/sandbox/engines/bwrap.js';
import { cgroupPlaces } from '../../src/sandbox/engines/cgroup-places.js';
import { makeMemoryCgroup } from '../../src/sandbox/engines/memory-cgroup.js';
import { probeGuest } from '../../src/sandbox/engines/probe-guest.js';
import { spawnGuest } from '../../src/sandbox/engines/spawn-guest.js';
import { DEFAULT_LIMITS } from '../../src/sandbox/index.js';
import { Guest } from '../../src/sandbox/run/guest.js';
import { describeEngines, tidy } from './installed-engines.js';

const MEGABYTE = 1024 * 1024;
const LIMITS = { ...DEFAULT_LIMITS, memoryBytes: 64 * MEGABYTE, folderBytes: 8 * MEGABYTE };

afterAll(tidy);
const cgroup = await makeMemoryCgroup(MEGABYTE);
const [place] = cgroupPlaces(
  existsSync('/proc/self/mountinfo') ? readFileSync('/proc/self/mountinfo', 'utf8') : '',
  existsSync('/proc/self/cgroup') ? readFileSync('/proc/self/cgroup', 'utf8') : '',
  process.getuid?.() === 0,
).filter(({ folder }) => cgroupsIn(folder).some((name) => name.startsWith(`portolan-sandbox-${process.pid}-`)));
await cgroup?.remove();

await describeEngines(
  ['bwrap'],
  () => 'a guest in bubblewrap',
  () => {
    it('has no capabilities and cannot regain one when it reads its first job', async () => {
      const code = `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
data = (ctypes.c_uint32 * 6)()
libc.capget((ctypes.c_uint32 * 2)(0x20080522, 0), data)
[list(data), libc.prctl(39, 0, 0, 0, 0), libc.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None), libc.unshare(0x20000)]`;
      expect(await valueIn(code)).toEqual([[0, 0, 0, 0, 0, 0], 1, -1, -1]);
    });

    it('has one size limit and one inode limit for all writable directories', async () => {
      const code = `
import os
facts = [os.statvfs(path) for path in ("/work", "/tmp", "/dev/shm")]
def writable(path):
    try:
        os.mkdir(path + "/probe")
        return True
    except OSError:
        return False
[[[fact.f_blocks * fact.f_frsize, fact.f_files] for fact in facts],
 [path for path, _, _ in os.walk("/") if not path.startswith("/usr") and writable(path)]]`;
      const [limits, writable] = (await valueIn(code)) as [unknown, string[]];
      expect(limits).toEqual([1, 2, 3].map(() => [LIMITS.folderBytes, 8_192]));
      expect(writable.filter((path) => !/^\/(work|tmp|dev\/shm)(\/probe)?$/.test(path))).toEqual([]);
    });

    it.each([
      { title: 'the capability is missing', from: '--cap-add', to: '--cap-drop' },
      { title: 'a target is missing', from: '/work', to: '/elsewhere' },
    ])('runs without a writable directory if $title', async ({ from, to }) => {
      const code = `
import os
def refused(path):
    try:
        os.mkdir(path)
        return path
    except OSError as error:
        return error.errno
[refused(path) for path in ("/work/x", "/elsewhere/x", "/tmp/x", "/dev/shm/x", "/dev/x", "/x")]`;
      const change = (args: readonly string[]) => args.map((one) => (one === from ? to : one));
      const outcome = (await valueIn(code, change)) as readonly unknown[];
      expect(outcome.every((one) => one === 2 || one === 30)).toBe(true);
    });

    it('is usable without a writable directory, which the probe reports', async () => {
      const change = (args: Arguments) => args.map((one) => (one === '--cap-add' ? '--cap-drop' : one));
      const engine = { ...bwrapEngine(silentLog), start: () => changedGuest(change) };
      expect(await probeGuest(engine, BWRAP_PROBE, silentLog)).toMatchObject({
        ok: true,
        remarks: ['no writable directory'],
      });
    });

    it.skipIf(!cgroup)('is killed by its memory cgroup for memory that rlimits do not count: page tables', async () => {
      // One page in each of many regions: the kernel adds two pages of page tables for each, which rlimits do not count.
      const code = `
import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
for n in range(1, 60_000):
    page = libc.mmap((n << 31) + (1 << 40), 4096, 3, 0x22, -1, 0)
    if page is None or page == 2**64 - 1:
        break
    ctypes.c_char.from_address(page).value = b"x"
n`;
      const guest = await started();
      try {
        expect(cgroupOf(guest.pid)).toMatch(/portolan-sandbox-/);
        const outcome = await guest.run({ code, servers: [] }, none, LIMITS, new AbortController().signal);
        expect(outcome).toMatchObject({ kind: 'stopped', limit: 'died' });
      } finally {
        await guest.end();
      }
    });
  },
);

it.skipIf(!place)('removes the cgroups of a killed gateway, and its own after a guest has exited', async () => {
  const folder = place?.folder ?? '';
  const { pid } = spawnSync('true');
  mkdirSync(join(folder, `portolan-sandbox-${pid}-left`));
  await (await makeMemoryCgroup(MEGABYTE))?.remove();
  const ours = new RegExp(`^portolan-sandbox-(${pid}|${process.pid})-`);
  expect(cgroupsIn(folder).filter((name) => ours.test(name))).toEqual([]);
});

function cgroupsIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

const none = () => Promise.reject(new Error('no calls'));

type Arguments = readonly string[];

async function changedGuest(change: (args: Arguments) => Arguments): Promise<GuestProcess> {
  const command = await bwrapGuest(LIMITS);
  return spawnGuest({ ...command, args: change(command.args) });
}

async function started(change = (args: Arguments) => args): Promise<Guest> {
  const guest = new Guest(await changedGuest(change), 20_000, silentLog);
  await guest.ready;
  return guest;
}

async function valueIn(code: string, change?: (args: Arguments) => Arguments): Promise<unknown> {
  const guest = await started(change);
  try {
    const outcome = await guest.run({ code, servers: [] }, none, LIMITS, new AbortController().signal);
    expect(outcome).toMatchObject({ kind: 'value', value: { json: expect.anything() } });
    return outcome.kind === 'value' ? outcome.value?.json : undefined;
  } finally {
    await guest.end();
  }
}

function cgroupOf(pid: number | undefined): string {
  return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
}
