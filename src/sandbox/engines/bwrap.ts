import { ErrorCode, type Log, PortolanError } from '../../base/index.js';
import type { Engine, Limits, Probe } from '../engine.js';
import { CPYTHON_BOOT, cpythonSource } from './cpython.js';
import { findBwrap, findSystemPython } from './engine-programs.js';
import { ownFilter } from './inline-seccomp.js';
import { makeMemoryCgroup } from './memory-cgroup.js';
import { probeGuest } from './probe-guest.js';
import { textOf } from './program-output.js';
import { seccompFilter } from './seccomp.js';
import { type GuestCommand, spawnGuest } from './spawn-guest.js';
import { guarded } from './watchdog-command.js';
import { writableFolders } from './writable-folders.js';

const SPARES = 2;
const START_MS = 15_000;
/** `nobody`. As root the whole of it runs under this id: what root may read, the code may not. */
const NOBODY = 65_534;
const WORK_FOLDER = '/work';
/** The interpreter, bubblewrap and what the kernel keeps for them: the limits of the guest itself apply first. */
const OWN_MEMORY_BYTES = 160 * 1024 * 1024;
/** Libraries outside /usr: links into it on most systems, folders on some. */
const LIBRARIES = ['/bin', '/lib', '/lib64', '/lib32'];
const OPTIONAL_FILES = ['/etc/ld.so.cache', '/etc/alternatives'];

const GUARANTEES = [
  'no network',
  'no file of the machine but its programs under /usr, none writable',
  'no other process seen or started',
  'memory, time, threads and files limited by the operating system',
];

/** How one guest is started. */
export async function bwrapGuest({
  memoryBytes,
  folderBytes,
}: Pick<Limits, 'memoryBytes' | 'folderBytes'>): Promise<GuestCommand> {
  const [bwrap, python] = [findBwrap(), findSystemPython()];
  if (!bwrap || !python) throw new PortolanError(ErrorCode.SandboxUnavailable, 'bubblewrap or python3 is gone');
  const isRoot = process.getuid?.() === 0;
  return {
    ...guarded(bwrap, bwrapArguments(python, libraries()), 'unlimited', 'usual'), // the guest sets its own limits
    options: isRoot ? { uid: NOBODY, gid: NOBODY } : {},
    cgroup: await makeMemoryCgroup(memoryBytes + folderBytes + OWN_MEMORY_BYTES),
    first: cpythonSource(writableFolders(WORK_FOLDER, folderBytes) + ownFilter()),
  };
}

/** CPython in bubblewrap: namespaces, a filter of system calls, limits, and no rights. */
export function bwrapEngine(log: Log): Engine {
  const engine: Engine = {
    name: 'bwrap',
    spares: SPARES,
    atOnce: 16,
    sessions: 8,
    startMs: START_MS,
    start: async (limits) => spawnGuest(await bwrapGuest(limits)),
    async probe() {
      if (process.platform !== 'linux') return failed('bubblewrap exists on Linux alone', 'use another engine');
      const bwrap = findBwrap();
      if (!bwrap) return failed('bubblewrap is not installed', 'install it: apt-get install bubblewrap');
      if (!findSystemPython()) return failed('there is no python3 in /usr/bin', 'install it: apt-get install python3');
      const found = await probeGuest(engine, BWRAP_PROBE, log);
      if (!found.ok) return failed(found.problem, hintFor(found.problem));
      const filtered = seccompFilter(process.arch) !== undefined;
      return {
        engine: 'bwrap',
        ok: true,
        version: `${(await textOf(bwrap, ['--version'])).trim()}, Python ${found.python}`,
        guarantees: [...GUARANTEES, ...(filtered ? ['system calls filtered'] : []), ...found.remarks],
      };
    },
  };
  return engine;
}

function hintFor(problem: string): string {
  return /namespace|setting up uid map|permission denied|operation not permitted/i.test(problem)
    ? 'this system does not let an ordinary user make namespaces; see user.max_user_namespaces, kernel.unprivileged_userns_clone or the AppArmor profile of bwrap'
    : 'see that bubblewrap 0.8 or later and python3 work on this system';
}

function failed(problem: string, hint: string): Probe {
  return { engine: 'bwrap', ok: false, problem, hint };
}

type Library =
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'folder'; readonly path: string };

function libraries(): readonly Library[] {
  const { lstatSync, readlinkSync } = process.getBuiltinModule('node:fs');
  return LIBRARIES.flatMap((path): Library[] => {
    const facts = lstatSync(path, { throwIfNoEntry: false });
    if (facts?.isSymbolicLink()) return [{ kind: 'link', path, target: readlinkSync(path) }];
    return facts?.isDirectory() ? [{ kind: 'folder', path }] : [];
  });
}

/** The whole command line, in the order in which bubblewrap acts on it. */
export function bwrapArguments(python: string, others: readonly Library[]): string[] {
  return [
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session'],
    // The guest needs the capability to mount its writable folders and drops it before it reads a job.
    ...['--cap-drop', 'ALL', '--cap-add', 'CAP_SYS_ADMIN', '--clearenv'],
    ...['--uid', String(NOBODY), '--gid', String(NOBODY), '--hostname', 'sandbox'],
    ...['--ro-bind', '/usr', '/usr'],
    ...others.flatMap((one) =>
      one.kind === 'link' ? ['--symlink', one.target, one.path] : ['--ro-bind', one.path, one.path],
    ),
    ...OPTIONAL_FILES.flatMap((path) => ['--ro-bind-try', path, path]),
    // The empty folder over /dev/pts hides the terminals: each has buffers in the kernel.
    ...['--dev', '/dev', '--tmpfs', '/dev/pts', '--dir', '/tmp', '--dir', WORK_FOLDER],
    // What bubblewrap mounts has no limit of inodes, so nothing may be written there.
    ...['--remount-ro', '/dev/pts', '--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', WORK_FOLDER],
    ...['--setenv', 'PATH', '/usr/bin', '--setenv', 'HOME', WORK_FOLDER, '--setenv', 'LANG', 'C.UTF-8'],
    ...['--setenv', 'TZ', 'UTC', '--setenv', 'PYTHONUTF8', '1'],
    // Each thread would reserve address space of its own, which counts against the limit of memory.
    ...['--setenv', 'MALLOC_ARENA_MAX', '1', '--setenv', 'OPENBLAS_NUM_THREADS', '1'],
    ...['--', python, '-I', '-B', '-c', CPYTHON_BOOT],
  ];
}

/** Tries what must not work; the value is the list of what did. */
export const BWRAP_PROBE = `
import os, socket
def must_fail(what, act):
    try:
        act()
    except (OSError, MemoryError):
        return
    found.append(what)
must_fail("the network can be reached", lambda: socket.create_connection(("192.0.2.1", 9), 0.2))
for path in ("/usr/.portolan", "/.portolan", "/dev/.portolan", "/bin/.portolan"):
    must_fail(f"{path} can be written", lambda: open(path, "w"))
for path in ("/etc/passwd", "/proc/self/environ", "/home", "/root", "/var"):
    must_fail(f"{path} can be seen", lambda: os.stat(path))
must_fail("a limit of memory does not hold", lambda: bytearray(1 << 30))
must_fail("a process can be started", lambda: os.fork() or os._exit(0))
if os.environ.keys() - {"PATH", "HOME", "LANG", "TZ", "PYTHONUTF8", "MALLOC_ARENA_MAX", "OPENBLAS_NUM_THREADS", "PWD", "LC_CTYPE"}:
    found.append("the environment is not empty")
try:
    open("file", "w").write("x")
except OSError:
    remarks.append("no writable folder")
`;
