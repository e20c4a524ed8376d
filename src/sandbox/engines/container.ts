import { ErrorCode, type Log, PortolanError, randomKey } from '../../base/index.js';
import { DEFAULT_LIMITS, type Engine, type Limits, type Probe } from '../engine.js';
import { CPYTHON_BOOT, cpythonSource } from './cpython.js';
import { ENGINE_FOLDERS, ENGINE_PATH, findProgram } from './find-program.js';
import { ownFilter } from './inline-seccomp.js';
import { probeGuest } from './probe-guest.js';
import { answerOf } from './program-output.js';
import { seccompFilter } from './seccomp.js';
import { spawnGuest } from './spawn-guest.js';

const START_MS = 60_000;
const MAX_PROCESSES = 64;
/** Of all containers together and whatever else runs as the same user; each has its own limit beside it. */
const MAX_OF_USER = 1_024;
/** The interpreter itself, before the first line of submitted code. */
const OWN_MEMORY_BYTES = 64 * 1024 * 1024;
const SCRATCH_BYTES = 16 * 1024 * 1024;
/** What the program itself needs to find its own state; nothing of it goes into the container. */
const PASSED_ON = [
  ...['HOME', 'USER', 'XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'TMPDIR'],
  ...[
    'CONTAINER_HOST',
    'CONTAINERS_CONF',
    'DOCKER_HOST',
    'DOCKER_CONTEXT',
    'DOCKER_CONFIG',
    'SystemRoot',
    'USERPROFILE',
  ],
];

const GUARANTEES = [
  'no network',
  'a container of its own, read-only, without rights',
  'memory, processes and disk limited by the operating system',
];
const FILTERED = ['no process started', 'system calls filtered'];
const FILTERED_BY_DEFAULT = ['system calls filtered by the default of the container engine'];

/** CPython in a container, for those who ask for it. It is refused if a limit does not hold inside. */
export function containerEngine(name: 'podman' | 'docker', image: string, log: Log): Engine {
  const env = passedOn();
  const engine: Engine = {
    name,
    spares: 1,
    atOnce: 8,
    sessions: 4,
    startMs: START_MS,
    async start(limits) {
      const container = `portolan-${randomKey().slice(0, 16)}`;
      const command = findProgram(name);
      if (!command) throw new PortolanError(ErrorCode.SandboxUnavailable, `${name} is gone`);
      return spawnGuest({
        command,
        args: containerArguments(name, image, container, limits),
        env,
        first: cpythonSource(THERE_WE_ARE + ownFilter()),
        // The program we started only talks to whoever runs the container.
        alsoKill: () => void removed(name, command, container, env),
      });
    },
    async probe() {
      const failed = (problem: string, hint: string): Probe => ({ engine: name, ok: false, problem, hint });
      const command = findProgram(name);
      if (!command)
        return failed(
          `${name} is not installed where only an administrator can put it`,
          `install ${name} in one of ${ENGINE_FOLDERS.join(', ')}`,
        );
      const version = await answerOf(command, ['version', '--format', '{{.Client.Version}}'], env);
      const info = await answerOf(command, ['info'], env);
      if (!info.ok)
        return failed(`${name} does not answer: ${firstLine(info.text)}`, `see that ${name} runs: ${name} info`);
      const present = await answerOf(command, ['image', 'inspect', image], env);
      if (!present.ok) return failed(`the image ${image} is not there`, `fetch it: ${name} pull ${image}`);
      const probed = await probeGuest(engine, PROBE, log);
      if (!probed.ok)
        return failed(probed.problem, 'a limit that does not hold is no limit; see the cgroups of this system');
      const isRootless = name === 'podman' && process.getuid?.() !== 0;
      const filtered = seccompFilter(process.arch) ? FILTERED : FILTERED_BY_DEFAULT;
      return {
        engine: name,
        ok: true,
        version: `${name} ${firstLine(version.text)}, Python ${probed.python}`,
        guarantees: [...GUARANTEES, ...filtered, ...(isRootless ? ['rootless'] : [])],
      };
    },
  };
  return engine;
}

/** Whoever is killed while a container comes to be may leave one behind that was not there when it was to be removed. */
const LOOKS_AFTER_MS = [0, 3_000];

async function removed(
  name: 'podman' | 'docker',
  command: string,
  container: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  // Podman asks politely first, which the first process of a container does not hear, and gives it ten seconds.
  const atOnce = name === 'podman' ? ['--time', '0'] : [];
  for (const ms of LOOKS_AFTER_MS) {
    await new Promise((resolve) => setTimeout(resolve, ms).unref());
    await answerOf(command, ['rm', '--force', ...atOnce, container], env);
  }
}

/** The container engine holds the pipe: its end does not come where both we and the program we started are gone. */
const UNLESS_GONE = [
  'import _signal, os',
  '_signal.signal(_signal.SIGALRM, lambda *_: os._exit(1))',
  `_signal.alarm(${START_MS / 1_000})`,
].join('\n');
const THERE_WE_ARE = `
import _signal
_signal.alarm(0)
_signal.signal(_signal.SIGALRM, _signal.SIG_DFL)
`;

/** The whole command line. */
export function containerArguments(
  name: 'podman' | 'docker',
  image: string,
  container: string,
  { memoryBytes, folderBytes }: Pick<Limits, 'memoryBytes' | 'folderBytes'>,
): string[] {
  const memory = String(memoryBytes + folderBytes + SCRATCH_BYTES + OWN_MEMORY_BYTES);
  return [
    ...['run', '--interactive', '--rm', '--name', container, '--pull', 'never'],
    ...['--network', 'none', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ...['--user', '65534:65534', '--ipc', 'private', '--hostname', 'sandbox'],
    // No swap beside the memory: it would be memory under another name.
    ...['--memory', memory, '--memory-swap', memory, '--pids-limit', String(MAX_PROCESSES), '--cpus', '1'],
    ...['--ulimit', 'core=0:0', '--ulimit', 'nofile=128:128', '--log-driver', 'none'],
    // Told none, podman asks for a million, which one that runs in a container itself may not give.
    ...['--ulimit', `nproc=${MAX_OF_USER}:${MAX_OF_USER}`],
    ...['--tmpfs', `/work:rw,nosuid,nodev,noexec,mode=1777,size=${folderBytes}`],
    ...['--tmpfs', `/tmp:rw,nosuid,nodev,noexec,mode=1777,size=${SCRATCH_BYTES}`],
    ...['--workdir', '/work', '--env', 'HOME=/work', '--env', 'LANG=C.UTF-8', '--env', 'TZ=UTC'],
    ...['--env', 'MALLOC_ARENA_MAX=1', '--env', 'PYTHONUTF8=1'],
    // Podman copies the variables of proxies into every container unless told not to.
    ...(name === 'podman' ? ['--http-proxy=false'] : []),
    ...['--entrypoint', 'python3', image, '-I', '-B', '-c', `${UNLESS_GONE}\n${CPYTHON_BOOT}`],
  ];
}

function passedOn(): Record<string, string> {
  const given = PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { ...Object.fromEntries(given), PATH: ENGINE_PATH };
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').slice(0, 200);
}

const MEMORY = DEFAULT_LIMITS.memoryBytes + DEFAULT_LIMITS.folderBytes + SCRATCH_BYTES + OWN_MEMORY_BYTES;

/** Tries what must not work; the value is the list of what did. */
const PROBE = `
import os
def must_fail(what, act):
    try:
        act()
    except (OSError, MemoryError):
        return
    found.append(what)
def written(*paths):
    for path in paths:
        try:
            return open(path).read().strip()
        except OSError:
            pass
    return "nothing"
if [line for line in open("/proc/self/net/dev").readlines()[2:] if line.split(":")[0].strip() != "lo"]:
    found.append("there is a network")
for path in ("/usr/.portolan", "/.portolan", "/etc/.portolan"):
    must_fail(f"{path} can be written", lambda: open(path, "w"))
memory = written("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
if not memory.isdigit() or int(memory) > ${MEMORY} + (1 << 20):
    found.append(f"the limit of memory is {memory}")
processes = written("/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max")
if not processes.isdigit() or int(processes) > ${MAX_PROCESSES}:
    found.append(f"the limit of processes is {processes}")
if os.getuid() == 0:
    found.append("the code is root")
if os.uname().machine in ("x86_64", "aarch64"):
    must_fail("a process can be started", lambda: os.fork() or os._exit(0))
`;
