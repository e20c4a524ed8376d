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
import { withWatchdog } from './watchdog-command.js';
import { writableFolders } from './writable-folders.js';

const SPARES = 2;
const START_MS = 15_000;
/** The user `nobody`. If Portolan runs as root, bubblewrap runs under this id, so that root's files stay unreadable. */
const NOBODY = 65_534;
const WORK_FOLDER = '/work';
/** The memory of the interpreter, bubblewrap and the kernel, on top of the guest's own limit, which applies first. */
const OWN_MEMORY_BYTES = 160 * 1024 * 1024;
/** Libraries outside /usr: symlinks into it on most systems, directories on some. */
const LIBRARIES = ['/bin', '/lib', '/lib64', '/lib32'];
const OPTIONAL_FILES = ['/etc/ld.so.cache', '/etc/alternatives'];

const GUARANTEES = [
  'no network',
  'no access to files of this machine except /usr, which is read-only',
  'no other processes visible or started',
  'memory, time, threads and files limited by the operating system',
];

/** The command that starts one guest. */
export async function bwrapGuest({
  memoryBytes,
  folderBytes,
}: Pick<Limits, 'memoryBytes' | 'folderBytes'>): Promise<GuestCommand> {
  const [bwrap, python] = [findBwrap(), findSystemPython()];
  if (!bwrap || !python)
    throw new PortolanError(
      ErrorCode.SandboxUnavailable,
      'cannot start the sandbox: bubblewrap or python3 was uninstalled',
      { hint: 'install both again; `portolan doctor` shows the engines' },
    );
  const isRoot = process.getuid?.() === 0;
  return {
    ...withWatchdog(bwrap, bwrapArguments(python, libraries()), 'unlimited', 'usual'), // the guest sets its own limits
    options: isRoot ? { uid: NOBODY, gid: NOBODY } : {},
    cgroup: await makeMemoryCgroup(memoryBytes + folderBytes + OWN_MEMORY_BYTES),
    first: cpythonSource(writableFolders(WORK_FOLDER, folderBytes) + ownFilter()),
  };
}

/** CPython in bubblewrap: namespaces, a seccomp filter, resource limits and no capabilities. */
export function bwrapEngine(log: Log): Engine {
  const engine: Engine = {
    name: 'bwrap',
    spares: SPARES,
    atOnce: 16,
    sessions: 8,
    startMs: START_MS,
    start: async (limits) => spawnGuest(await bwrapGuest(limits)),
    async probe() {
      if (process.platform !== 'linux') return failed('bubblewrap runs only on Linux', 'use another engine');
      const bwrap = findBwrap();
      if (!bwrap) return failed('bubblewrap is not installed', 'install it: apt-get install bubblewrap');
      if (!findSystemPython())
        return failed('python3 was not found in /usr/bin', 'install it: apt-get install python3');
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
    ? 'this system does not let unprivileged users create namespaces; check user.max_user_namespaces, kernel.unprivileged_userns_clone or the AppArmor profile of bwrap'
    : 'check that bubblewrap 0.8 or later and python3 work on this system';
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

/** The command line. bubblewrap processes the arguments in this order. */
export function bwrapArguments(python: string, others: readonly Library[]): string[] {
  return [
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session'],
    // The guest needs this capability to mount its writable directories; it drops it before it reads a job.
    ...['--cap-drop', 'ALL', '--cap-add', 'CAP_SYS_ADMIN', '--clearenv'],
    ...['--uid', String(NOBODY), '--gid', String(NOBODY), '--hostname', 'sandbox'],
    ...['--ro-bind', '/usr', '/usr'],
    ...others.flatMap((one) =>
      one.kind === 'link' ? ['--symlink', one.target, one.path] : ['--ro-bind', one.path, one.path],
    ),
    ...OPTIONAL_FILES.flatMap((path) => ['--ro-bind-try', path, path]),
    // An empty directory over /dev/pts hides the terminals, whose buffers would use kernel memory.
    ...['--dev', '/dev', '--tmpfs', '/dev/pts', '--dir', '/tmp', '--dir', WORK_FOLDER],
    // bubblewrap's own mounts have no inode limit, so they must be read-only.
    ...['--remount-ro', '/dev/pts', '--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', WORK_FOLDER],
    ...['--setenv', 'PATH', '/usr/bin', '--setenv', 'HOME', WORK_FOLDER, '--setenv', 'LANG', 'C.UTF-8'],
    ...['--setenv', 'TZ', 'UTC', '--setenv', 'PYTHONUTF8', '1'],
    // Each further thread arena would reserve address space, which counts against the memory limit.
    ...['--setenv', 'MALLOC_ARENA_MAX', '1', '--setenv', 'OPENBLAS_NUM_THREADS', '1'],
    ...['--', python, '-I', '-B', '-c', CPYTHON_BOOT],
  ];
}

/** Tries forbidden operations and returns a list of those that succeeded. */
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
    must_fail(f"{path} is writable", lambda: open(path, "w"))
for path in ("/etc/passwd", "/proc/self/environ", "/home", "/root", "/var"):
    must_fail(f"{path} is visible", lambda: os.stat(path))
must_fail("the memory limit is not enforced", lambda: bytearray(1 << 30))
must_fail("a process can be started", lambda: os.fork() or os._exit(0))
if os.environ.keys() - {"PATH", "HOME", "LANG", "TZ", "PYTHONUTF8", "MALLOC_ARENA_MAX", "OPENBLAS_NUM_THREADS", "PWD", "LC_CTYPE"}:
    found.append("the environment is not empty")
try:
    open("file", "w").write("x")
except OSError:
    remarks.append("no writable directory")
`;
