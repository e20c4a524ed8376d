// Every process of the benchmark, and the promise that none outlives it.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { SERVER_SCRIPTS } from './servers.mjs';

const running = new Set();
const homes = new Set();
const STDERR_KEPT = 4_000;
const MICROSECONDS_A_TICK = 10_000; // Linux counts a process's time in hundredths of a second for every reader

/** Starts a process in a group of its own, remembers it for the end, and keeps the tail of its stderr for a message. */
export function start(command, args, { env, cwd }) {
  const child = spawn(command, args, {
    env,
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32', // its own group, so that what it started can be ended with it
  });
  child.tail = '';
  child.stderr.on('data', (chunk) => {
    child.tail = `${child.tail}${chunk}`.slice(-STDERR_KEPT);
  });
  child.stdin.on('error', () => {}); // told by 'exit', which says more
  if (child.pid !== undefined) {
    remember(child.pid, env.HOME);
    child.once('exit', () => running.delete(child.pid));
  }
  return child;
}

/** Has a process that somebody else started ended with the others. */
export function remember(pid, home) {
  running.add(pid);
  homes.add(home);
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // gone already
  }
}

function endGroup(pid) {
  if (process.platform !== 'win32') kill(-pid, 'SIGKILL');
  kill(pid, 'SIGKILL'); // also one that has no group of its own
}

/** Ends one process with all that it started, also what left its group but kept the throw-away home. */
export function end(pid, home) {
  if (running.delete(pid)) endGroup(pid);
  for (const pid of processesOf(home)) kill(pid, 'SIGKILL');
}

/** Synchronous, because it is also the last thing done on a signal or an error. */
export function endAll() {
  for (const pid of running) endGroup(pid);
  for (const home of homes) for (const pid of processesOf(home)) kill(pid, 'SIGKILL');
}

/**
 * All processes that have this throw-away directory as their home: a gateway may hand its work to a daemon that is no
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
      return []; // another user's, or gone
    }
  });
}

/** The processes of a gateway itself: those of its home without the servers behind it and without shells in between. */
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

/** Processor time of these processes so far; undefined where there is no /proc. */
export function cpuMicroseconds(pids) {
  if (process.platform !== 'linux') return undefined;
  return pids.reduce((sum, pid) => sum + ticks(pid) * MICROSECONDS_A_TICK, 0);
}

function ticks(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name may hold spaces and parentheses
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}

/** Resident and proportional memory of these processes together, in bytes; undefined where there is no /proc. */
export function memoryBytes(pids) {
  if (process.platform !== 'linux') return undefined;
  const field = (text, name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024;
  const rollups = pids.map((pid) => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  const sum = (name) => rollups.reduce((total, text) => total + field(text, name), 0);
  return { rss: sum('Rss'), pss: sum('Pss') };
}
