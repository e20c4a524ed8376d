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
   * The first pipe after the usual three stays open as long as we live: who watches it learns of our end. The program
   * starts after a first line, so that it is in its cgroup by then.
   */
  readonly watched?: boolean;
  readonly cgroup?: MemoryCgroup | undefined;
  /** Written before anything else. */
  readonly first: Uint8Array;
  /** Its stderr is the engine's own and says nothing of the code. */
  readonly privateErrors?: boolean;
  /** What else ends it where a signal is not enough. */
  readonly alsoKill?: () => void;
}

const LAST_WORDS_MS = 300;
/** Programs come after those who serve everybody: an endless one must not take the processor from the gateway. */
const PRIORITY = 5;

/** Starts a guest with an environment of its own; nothing of ours is inherited. */
export async function spawnGuest(guest: GuestCommand): Promise<GuestProcess> {
  const { spawn } = await import('node:child_process');
  const isGroup = process.platform !== 'win32';
  const child = spawn(guest.command, [...guest.args], {
    cwd: '/',
    ...guest.options,
    env: { ...guest.env },
    stdio: ['pipe', 'pipe', 'pipe', guest.watched ? 'pipe' : 'ignore'],
    // A group of its own, to be ended as one; and whoever types Ctrl-C at us does not mean it.
    detached: isGroup,
    windowsHide: true,
  });
  giveWay(child.pid);
  const watched = duplexOf(child.stdio[3]);
  const { stdin: input, stdout: output, stderr: errors } = child;
  if (!input || !output || !errors) throw new Error('a guest without pipes'); // the type knows no better
  let isOver = false;
  const ended = new Promise<string>((resolve) => {
    const end = (how: string) => {
      isOver = true;
      // A line, where an end without one would mean that we died.
      watched?.end('over\n');
      if (!guest.cgroup) resolve(how);
      else void guest.cgroup.remove().then(() => resolve(how));
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, signal) => {
      const how = howItEnded(code, signal);
      // What it wrote last may still be in the pipe; a process that it left behind may hold the pipe open.
      const late = setTimeout(() => end(how), LAST_WORDS_MS);
      const read = () => {
        clearTimeout(late);
        end(how);
      };
      if (output.destroyed || output.readableEnded) read();
      else output.once('close', read);
    });
  });
  const streams: (Readable | Writable | undefined)[] = [input, output, errors, watched];
  for (const stream of streams) stream?.on('error', () => undefined); // a guest that died is told of by `ended`
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

/** What it starts inherits this; where the system does not allow it, it runs like everybody. */
function giveWay(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.getBuiltinModule('node:os').setPriority(pid, PRIORITY);
  } catch {
    // It is gone already, or nobody may.
  }
}

/** A program between us and the guest tells a signal as a number over 128. */
function howItEnded(code: number | null, signal: string | null): string {
  if (signal) return `killed by ${signal}`;
  return code !== null && code > 128 ? `killed by signal ${code - 128}` : `exit code ${code}`;
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nobody is left in it.
  }
}

function duplexOf(stream: unknown): Duplex | undefined {
  return isDuplex(stream) ? stream : undefined;
}

function isDuplex(stream: unknown): stream is Duplex {
  return typeof stream === 'object' && stream !== null && 'end' in stream && 'destroy' in stream;
}
