import type { SpawnOptions } from 'node:child_process';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { GuestProcess } from '../engine.js';
import type { MemoryCgroup } from './memory-cgroup.js';

export interface GuestCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly options?: Pick<SpawnOptions, 'uid' | 'gid' | 'cwd'>;
  /**
   * Adds a pipe that stays open while Portolan lives; its end tells the watchdog that Portolan has died. The program
   * starts after a first line on it, when its process is in the cgroup.
   */
  readonly watched?: boolean;
  readonly cgroup?: MemoryCgroup | undefined;
  /** Written to stdin first. */
  readonly first: Uint8Array;
  /** Whether stderr carries messages of the engine instead of output of the code. */
  readonly privateErrors?: boolean;
  /** An additional way to end the guest if a signal is not enough. */
  readonly alsoKill?: () => void;
}

const LAST_OUTPUT_MS = 300;
/** Guests get a lower priority, so that an endless loop does not slow down the gateway. */
const PRIORITY = 5;

/** Starts a guest with a separate environment. Nothing of Portolan's environment is inherited. */
export async function spawnGuest(guest: GuestCommand): Promise<GuestProcess> {
  const { spawn } = await import('node:child_process');
  const isGroup = process.platform !== 'win32';
  const child = spawn(guest.command, [...guest.args], {
    cwd: '/',
    ...guest.options,
    env: { ...guest.env },
    stdio: ['pipe', 'pipe', 'pipe', guest.watched ? 'pipe' : 'ignore'],
    // A separate process group can be killed as a whole, and does not receive Ctrl-C from the terminal.
    detached: isGroup,
    windowsHide: true,
  });
  lowerPriority(child.pid);
  const watched = duplexOf(child.stdio[3]);
  const { stdin: input, stdout: output, stderr: errors } = child;
  if (!input || !output || !errors) throw new Error('a guest without pipes'); // cannot happen; narrows the type
  let isOver = false;
  const ended = new Promise<string>((resolve) => {
    const end = (how: string) => {
      isOver = true;
      // A line tells the watchdog that the guest has ended; the end of the pipe without one means that Portolan died.
      watched?.end('over\n');
      if (!guest.cgroup) resolve(how);
      else void guest.cgroup.remove().then(() => resolve(how));
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, signal) => {
      const how = exitReason(code, signal);
      // Its last output may still be in the pipe, and a process it left behind may keep the pipe open.
      const timer = setTimeout(() => end(how), LAST_OUTPUT_MS);
      const read = () => {
        clearTimeout(timer);
        end(how);
      };
      if (output.destroyed || output.readableEnded) read();
      else output.once('close', read);
    });
  });
  const streams: (Readable | Writable | undefined)[] = [input, output, errors, watched];
  for (const stream of streams) stream?.on('error', () => undefined); // `ended` reports a guest that died
  if (child.pid !== undefined) await guest.cgroup?.add(child.pid);
  watched?.write('start\n');
  input.write(guest.first);
  return {
    pid: child.pid,
    input,
    output,
    errors,
    privateErrors: guest.privateErrors ?? false,
    ended,
    kill() {
      if (isOver) return;
      if (isGroup && child.pid !== undefined) killGroup(child.pid);
      else child.kill('SIGKILL');
      guest.alsoKill?.();
      output.destroy();
      input.destroy();
    },
  };
}

/** Lowers the priority; child processes inherit it. If the system denies that, the priority stays. */
function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.getBuiltinModule('node:os').setPriority(pid, PRIORITY);
  } catch {
    // The process has ended, or the system denies the change.
  }
}

/** A wrapper process reports a signal as an exit code over 128. */
function exitReason(code: number | null, signal: string | null): string {
  if (signal) return `killed by ${signal}`;
  return code !== null && code > 128 ? `killed by signal ${code - 128}` : `exit code ${code}`;
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The process group has no processes left.
  }
}

function duplexOf(stream: unknown): Duplex | undefined {
  return isDuplex(stream) ? stream : undefined;
}

function isDuplex(stream: unknown): stream is Duplex {
  return typeof stream === 'object' && stream !== null && 'end' in stream && 'destroy' in stream;
}
