import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type Outcome, type Sandbox } from '../../src/sandbox/index.js';
import { describeEngines, open, tidy } from '../sandbox/installed-engines.js';

const TEST_MS = 240_000;
const SESSIONS = 8;
const GIGABYTE = 1_000_000_000;
/** Other processes allocate memory too, so the smallest of some measurements counts. */
const MEASUREMENTS = 3;

/** Allocates and keeps as many kernel objects of each kind as possible, up to a cap for a sandbox without limits. */
const GREEDY = `
import ctypes, fcntl, os, signal, socket, struct, threading
libc, got, kept = ctypes.CDLL(None, use_errno=True), {}, []
def count(name, act, most=20_000):
    n = 0
    try:
        while n < most:
            kept.append(act(n))
            n += 1
    except (OSError, RuntimeError, MemoryError):
        pass
    got[name] = n
def system_call(number, *given):
    if libc.syscall(number, *given) < 0:
        raise OSError(ctypes.get_errno(), "refused")
def pipe(n):
    r, w = os.pipe()
    try:
        fcntl.fcntl(w, 1031, 1 << 20)
        got["larger pipes"] = True
    except OSError:
        pass
    os.set_blocking(w, False)
    try:
        while True:
            got["pipe bytes"] = got.get("pipe bytes", 0) + os.write(w, bytes(1 << 16))
    except BlockingIOError:
        pass
    os.close(w)
    return r
FOLDERS = ["/work/d", "/tmp/d", "/dev/shm/d"]
for folder in FOLDERS:
    os.makedirs(folder, exist_ok=True)
target = os.open("/work/d/locks", os.O_RDWR | os.O_CREAT)
larger = os.open("/tmp/d/bytes", os.O_RDWR | os.O_CREAT)
spare = os.dup(larger)
count("locks", lambda n: fcntl.lockf(target, fcntl.LOCK_EX, 1, 2 * (20_000 - n)))
lock = lambda n: struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 2 * (20_000 - n), 1, 0)
count("locks of open files", lambda n: fcntl.fcntl(target, 37, lock(n)))
count("attributes", lambda n: os.setxattr("/work/d/locks", f"user.{n}", b"x" * 60_000), 2_000)
count("memory files", lambda n: os.memfd_create("x"))
count("shared segments", lambda n: system_call(29, n + 1, 1 << 20, 0o1600))
count("epolls", lambda n: system_call(291, 0))
count("watches", lambda n: system_call(294, 0))
count("kernel timers", lambda n: system_call(222, 1, None, ctypes.byref(ctypes.c_int())))
count("asynchronous requests", lambda n: system_call(206, 64, ctypes.byref(ctypes.c_ulong())))
count("filters", lambda n: system_call(317, 1, 0, None))
count("rulesets", lambda n: system_call(444, ctypes.byref(ctypes.c_ulong(1)), 8, 0))
count("terminals", lambda n: os.open("/dev/ptmx", os.O_RDWR))
count("sockets", lambda n: socket.socketpair())
count("processes", lambda n: os.fork() or os._exit(0), 100)
signal.pthread_sigmask(signal.SIG_BLOCK, [40])
sender = b"".join(n.to_bytes(4, "little", signed=True) for n in (40, 0, -1)) + bytes(116)
count("signals", lambda n: system_call(297, os.getpid(), threading.get_native_id(), 40, sender))
threading.stack_size(1 << 16)
never = threading.Event()
count("threads", lambda n: threading.Thread(target=never.wait, daemon=True).start())
count("pipes", pipe)
for folder in FOLDERS:
    name = folder + "/" + "n" * 200
    count("files in " + folder, lambda n: os.mknod(name + str(n)))
    count("links in " + folder, lambda n: os.link(name + "0", name + "l" + str(n)))
    count("symbolic links in " + folder, lambda n: os.symlink("x" * 120, name + "s" + str(n)))
    count("FIFOs in " + folder, lambda n: os.mkfifo(name + "f" + str(n)))
    count("folders in " + folder, lambda n: os.mkdir(name + "d" + str(n)))
os.close(spare)
# A page at each end of a file needs the most nodes in the index of its pages.
def ends(n):
    file = os.open("/work/d/" + "n" * 200 + str(n), os.O_WRONLY)
    try:
        got["pages"] = got.get("pages", 0) + os.pwrite(file, b"x", 0) + os.pwrite(file, b"x", ${DEFAULT_LIMITS.folderBytes} - 1)
    finally:
        os.close(file)
count("files with two pages", ends)
count("more pages", lambda n: os.write(larger, bytes(4096)) // 4096 or None, 40_000)
kept = [len(kept)]
got`;

afterAll(tidy);

await describeEngines(['bwrap'], (engine) => `kernel memory of programs in ${engine}`, inEngine);

function inEngine(engine: string): void {
  it('is limited for each kind of kernel object', {
    tags: 'S16',
    timeout: TEST_MS,
  }, async () => {
    await using sandbox = open(engine);
    const got = gotBy(await greedy(sandbox, 'one'));
    const places = (kind: string) =>
      ['/work/d', '/tmp/d', '/dev/shm/d'].map((place) => got[`${kind} in ${place}`] ?? 0);
    const inodes = ['files', 'links', 'symbolic links', 'FIFOs', 'folders'].flatMap(places);
    const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
    expect({ ...got, inodes: sum(inodes) }).toMatchObject({
      'locks of open files': 0,
      attributes: 0,
      'memory files': 0,
      'shared segments': 0,
      epolls: 0,
      watches: 0,
      'kernel timers': 0,
      'asynchronous requests': 0,
      filters: 0,
      rulesets: 0,
      terminals: 0,
      sockets: 0,
      processes: 0,
    });
    expect(got['larger pipes']).toBeUndefined();
    expect(sum(inodes)).toBeGreaterThan(1_000);
    expect(sum(inodes)).toBeLessThanOrEqual(8_192);
    expect(got.pipes).toBeLessThan(128);
    expect(got['pipe bytes']).toBeLessThanOrEqual(128 * 65_536);
    expect(got.threads).toBeLessThanOrEqual(128);
    expect(got.signals).toBeLessThanOrEqual(128);
    expect(((got.pages ?? 0) + (got['more pages'] ?? 0)) * 4_096).toBeLessThanOrEqual(DEFAULT_LIMITS.folderBytes);
  });

  it('stays below 1 GB with eight sessions that allocate as much as possible', {
    tags: 'S16',
    timeout: TEST_MS,
  }, async () => {
    const taken: number[] = [];
    while (taken.length < MEASUREMENTS && !taken.some((bytes) => bytes < GIGABYTE))
      taken.push(await takenByEight(engine));
    expect(Math.min(...taken)).toBeLessThan(GIGABYTE);
  });
}

/** The memory of eight sessions at the same time, with their interpreters. */
async function takenByEight(engine: string): Promise<number> {
  await using sandbox = open(engine);
  await sandbox.engine();
  const before = availableBytes();
  const names = Array.from({ length: SESSIONS }, (_, n) => `session ${n}`);
  let least = before;
  const watch = setInterval(() => {
    least = Math.min(least, availableBytes());
  }, 50);
  try {
    for (const outcome of await Promise.all(names.map((name) => greedy(sandbox, name)))) gotBy(outcome);
    // All sessions still hold their memory.
    const held = await Promise.all(names.map((name) => run(sandbox, 'kept[0] > 1_000', name)));
    expect(held.map((outcome) => outcome.kind === 'value' && outcome.value?.text)).toEqual(names.map(() => 'True'));
    return before - Math.min(least, availableBytes());
  } finally {
    clearInterval(watch);
  }
}

function availableBytes(): number {
  const [, kilobytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

const greedy = (sandbox: Sandbox, session: string) => run(sandbox, GREEDY, session);

function run(sandbox: Sandbox, code: string, session: string): Promise<Outcome> {
  const limits = { ...DEFAULT_LIMITS, timeoutMs: 120_000 };
  const job = { code, session, servers: [] };
  return sandbox.run(job, () => Promise.reject(new Error('no calls')), limits, new AbortController().signal);
}

function gotBy(outcome: Outcome): Readonly<Record<string, number>> {
  expect(outcome).toMatchObject({ kind: 'value', value: { json: expect.any(Object) } });
  const json: unknown = outcome.kind === 'value' ? outcome.value?.json : undefined;
  return Object.fromEntries(Object.entries(json ?? {}).map(([name, count]) => [name, Number(count)]));
}
