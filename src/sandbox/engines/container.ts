import { ErrorCode, type Log, PortolanError, randomKey } from '../../base/index.js';
import { DEFAULT_LIMITS, type Engine, type Limits, type Probe } from '../engine.js';
import { CPYTHON_BOOT, cpythonSource } from './cpython.js';
import { ENGINE_FOLDERS, ENGINE_PATH, findTrustedProgram } from './find-program.js';
import { ownFilter } from './inline-seccomp.js';
import { probeGuest } from './probe-guest.js';
import { answerOf } from './program-output.js';
import { seccompFilter } from './seccomp.js';
import { spawnGuest } from './spawn-guest.js';

const START_MS = 60_000;
const MAX_PROCESSES = 64;
/** The process limit for all containers and other processes of this user. Each container also has its own limit. */
const MAX_OF_USER = 1_024;
/** The memory of the interpreter itself, before submitted code runs. */
const OWN_MEMORY_BYTES = 64 * 1024 * 1024;
const SCRATCH_BYTES = 16 * 1024 * 1024;
/** The variables with which the container client finds its own state. None is passed to the container. */
const CLIENT_VARIABLES = [
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
  'a separate read-only container without privileges',
  'memory, processes and disk limited by the operating system',
];
const FILTERED = ['no processes started', 'system calls filtered'];
const FILTERED_BY_DEFAULT = ['system calls filtered by the container engine'];

/** CPython in a container, used only on request. The probe fails if a limit is not enforced inside. */
export function containerEngine(name: 'podman' | 'docker', image: string, log: Log): Engine {
  const env = clientVariables();
  const engine: Engine = {
    name,
    spares: 1,
    atOnce: 8,
    sessions: 4,
    startMs: START_MS,
    async start(limits) {
      const container = `portolan-${randomKey().slice(0, 16)}`;
      const command = findTrustedProgram(name);
      if (!command)
        throw new PortolanError(ErrorCode.SandboxUnavailable, `cannot start the sandbox: ${name} was uninstalled`, {
          hint: `install ${name} again; \`portolan doctor\` shows the engines`,
        });
      return spawnGuest({
        command,
        args: containerArguments(name, image, container, limits),
        env,
        first: cpythonSource(CANCEL_ALARM + ownFilter()),
        // The started process is only a client; the container runs in another process and must be removed separately.
        alsoKill: () => void removed(name, command, container, env),
      });
    },
    async probe() {
      const failed = (problem: string, hint: string): Probe => ({ engine: name, ok: false, problem, hint });
      const command = findTrustedProgram(name);
      if (!command)
        return failed(
          `${name} was not found in a trusted directory`,
          `install ${name} in one of ${ENGINE_FOLDERS.join(', ')}`,
        );
      const version = await answerOf(command, ['version', '--format', '{{.Client.Version}}'], env);
      const info = await answerOf(command, ['info'], env);
      if (!info.ok)
        return failed(`${name} does not respond: ${firstLine(info.text)}`, `check that ${name} runs: ${name} info`);
      const present = await answerOf(command, ['image', 'inspect', image], env);
      if (!present.ok) return failed(`the image ${image} was not found`, `download it: ${name} pull ${image}`);
      const probed = await probeGuest(engine, PROBE, log);
      if (!probed.ok)
        return failed(probed.problem, 'check that the cgroups of this system can limit memory and processes');
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

/**
 * The removal is repeated: a client killed during creation may leave a container that does not exist at the first try.
 */
const REMOVAL_DELAYS_MS = [0, 3_000];

async function removed(
  name: 'podman' | 'docker',
  command: string,
  container: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  // By default podman sends a signal, which process 1 of a container ignores, and then waits ten seconds.
  const atOnce = name === 'podman' ? ['--time', '0'] : [];
  for (const ms of REMOVAL_DELAYS_MS) {
    await new Promise((resolve) => setTimeout(resolve, ms).unref());
    await answerOf(command, ['rm', '--force', ...atOnce, container], env);
  }
}

/**
 * The container engine keeps the guest's stdin open, so the guest would not notice that both Portolan and the client
 * process have died during the start. An alarm ends it.
 */
const START_ALARM = [
  'import _signal, os',
  '_signal.signal(_signal.SIGALRM, lambda *_: os._exit(1))',
  `_signal.alarm(${START_MS / 1_000})`,
].join('\n');
const CANCEL_ALARM = `
import _signal
_signal.alarm(0)
_signal.signal(_signal.SIGALRM, _signal.SIG_DFL)
`;

/** The command line. */
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
    // No swap, because swap would extend the memory limit.
    ...['--memory', memory, '--memory-swap', memory, '--pids-limit', String(MAX_PROCESSES), '--cpus', '1'],
    ...['--ulimit', 'core=0:0', '--ulimit', 'nofile=128:128', '--log-driver', 'none'],
    // Without a value podman sets a million, which fails if podman itself runs in a container.
    ...['--ulimit', `nproc=${MAX_OF_USER}:${MAX_OF_USER}`],
    ...['--tmpfs', `/work:rw,nosuid,nodev,noexec,mode=1777,size=${folderBytes}`],
    ...['--tmpfs', `/tmp:rw,nosuid,nodev,noexec,mode=1777,size=${SCRATCH_BYTES}`],
    ...['--workdir', '/work', '--env', 'HOME=/work', '--env', 'LANG=C.UTF-8', '--env', 'TZ=UTC'],
    ...['--env', 'MALLOC_ARENA_MAX=1', '--env', 'PYTHONUTF8=1'],
    // By default podman copies the proxy variables into every container.
    ...(name === 'podman' ? ['--http-proxy=false'] : []),
    ...['--entrypoint', 'python3', image, '-I', '-B', '-c', `${START_ALARM}\n${CPYTHON_BOOT}`],
  ];
}

function clientVariables(): Record<string, string> {
  const given = CLIENT_VARIABLES.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  return { ...Object.fromEntries(given), PATH: ENGINE_PATH };
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').slice(0, 200);
}

const MEMORY = DEFAULT_LIMITS.memoryBytes + DEFAULT_LIMITS.folderBytes + SCRATCH_BYTES + OWN_MEMORY_BYTES;

/** Tries forbidden operations and returns a list of those that succeeded. */
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
    found.append("the network can be reached")
for path in ("/usr/.portolan", "/.portolan", "/etc/.portolan"):
    must_fail(f"{path} is writable", lambda: open(path, "w"))
memory = written("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
if not memory.isdigit() or int(memory) > ${MEMORY} + (1 << 20):
    found.append(f"the memory limit is {memory}")
processes = written("/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max")
if not processes.isdigit() or int(processes) > ${MAX_PROCESSES}:
    found.append(f"the process limit is {processes}")
if os.getuid() == 0:
    found.append("the code runs as root")
if os.uname().machine in ("x86_64", "aarch64"):
    must_fail("a process can be started", lambda: os.fork() or os._exit(0))
`;
