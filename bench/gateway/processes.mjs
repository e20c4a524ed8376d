// Records every process of the benchmark and ends all of them at its end.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { SERVER_SCRIPTS } from './servers.mjs';

const running = new Set();
const homes = new Set();
const STDERR_KEPT = 4_000;
const MICROSECONDS_A_TICK = 10_000; // Linux reports CPU time in hundredths of a second

/** Starts a process in its own group, records it, and keeps the end of its stderr for messages. */
export function start(command, args, { env, cwd }) {
  const child = spawn(command, args, {
    env,
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32', // its own group, so that its children can be ended with it
  });
  child.tail = '';
  child.stderr.on('data', (chunk) => {
    child.tail = `${child.tail}${chunk}`.slice(-STDERR_KEPT);
  });
  child.stdin.on('error', () => {}); // 'exit' reports more
  if (child.pid !== undefined) {
    remember(child.pid, env.HOME);
    child.once('exit', () => running.delete(child.pid));
  }
  return child;
}

/** Records a process that another module started, so that it is ended too. */
export function remember(pid, home) {
  running.add(pid);
  homes.add(home);
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // has exited already
  }
}

function endGroup(pid) {
  if (process.platform !== 'win32') kill(-pid, 'SIGKILL');
  kill(pid, 'SIGKILL'); // also a process without its own group
}

/** Ends one process and its descendants, also those that left its group but have the throw-away home. */
export function end(pid, home) {
  if (running.delete(pid)) endGroup(pid);
  for (const pid of processesOf(home)) kill(pid, 'SIGKILL');
}

/** Synchronous, because it is also called on a signal or an error. */
export function endAll() {
  for (const pid of running) endGroup(pid);
  for (const home of homes) for (const pid of processesOf(home)) kill(pid, 'SIGKILL');
}

/**
 * All processes that have this throw-away directory as their home, because a gateway may start a daemon that is not its
 * child.
 */
export function processesOf(home) {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const isOurs = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
      return isOurs ? [Number(name)] : [];
    } catch {
      return []; // belongs to another user, or has exited
    }
  });
}

/** The processes of a gateway: those with its home, without its servers and without shells between them. */
export function gatewayProcesses(home) {
  const node = realpathSync(process.execPath);
  return processesOf(home).filter((pid) => {
    try {
      const script = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] ?? '';
      return readlinkSync(`/proc/${pid}/exe`) === node && !SERVER_SCRIPTS.has(script);
    } catch {
      return false;
    }
  });
}

/** The CPU time of these processes so far; undefined without /proc. */
export function cpuMicroseconds(pids) {
  if (process.platform !== 'linux') return undefined;
  return pids.reduce((sum, pid) => sum + ticks(pid) * MICROSECONDS_A_TICK, 0);
}

function ticks(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name may contain spaces and parentheses
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}

/** The resident and the proportional memory of these processes in bytes; undefined without /proc. */
export function memoryBytes(pids) {
  if (process.platform !== 'linux') return undefined;
  const field = (text, name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024;
  const rollups = pids.map((pid) => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  const sum = (name) => rollups.reduce((total, text) => total + field(text, name), 0);
  return { rss: sum('Rss'), pss: sum('Pss') };
}
