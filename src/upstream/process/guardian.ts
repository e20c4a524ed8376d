import type { ChildProcess } from 'node:child_process';
import { identityOf, type ProcessIdentity } from '../../base/index.js';
import { ALL_STARTS_REPORTED, guardianScript } from './guardian-script.js';
import { openLaunchMark } from './launch-mark.js';
import { recordLeaders } from './orphans.js';
import { ProcessTree } from './process-tree.js';

/** A separate process that ends the children of this process if this process is killed. */
export interface Guardian extends AsyncDisposable {
  /**
   * Called before a child is started. The result becomes the child's descriptor `MARK_DESCRIPTOR`, which identifies the
   * child if this process is killed between the start and `watch`.
   */
  prepare(): number | 'ignore';
  /** From now on the process group, and the session with the same id, ends with this process. */
  watch(group: number): void;
  /** Call it when no process of the group is left. */
  release(group: number): void;
}

export interface GuardianOptions {
  /** The directory of the records, which `killOrphans` of a later process reads. */
  readonly folder: string;
  /** Reports a failure because of which children might outlive this process. The children still run. */
  readonly onProblem?: (message: string) => void;
}

const SHELL = '/bin/sh';
const LIST_OF_PROCESSES = '/proc';
/** Stop restarting the guardian if something kills it again and again. */
const MAX_STARTS = 10;
/** Twice the time needed to end a group that ignores SIGTERM. */
const CLOSE_LIMIT_MS = 5_000;

/** The shell starts with the first child. Without `sh`, only the record on disk is kept. */
export function startGuardian(options: GuardianOptions): Guardian {
  return new ShellGuardian(options);
}

class ShellGuardian implements Guardian {
  readonly #folder: string;
  readonly #tell: (message: string) => void;
  readonly #leaders = new Map<number, ProcessIdentity | undefined>();
  #shell: ChildProcess | undefined;
  /** Undefined before the first start, and on platforms without a mark. */
  #mark: number | undefined;
  #starts = 0;
  #isClosed = false;

  constructor({ folder, onProblem }: GuardianOptions) {
    this.#folder = folder;
    this.#tell = onProblem ?? (() => undefined);
  }

  prepare(): number | 'ignore' {
    if (this.#isClosed || process.platform === 'win32') return 'ignore';
    if (this.#shell === undefined && this.#starts < MAX_STARTS) this.#start();
    return this.#mark ?? 'ignore';
  }

  #start(): void {
    this.#starts += 1;
    if (this.#starts === 1) this.#tryTo('mark', () => (this.#mark = openLaunchMark(this.#folder)));
    const { spawn } = process.getBuiltinModule('node:child_process');
    // Its own session, so that signals to our group or from our terminal do not end it.
    const shell = spawn(SHELL, ['-c', guardianScript(), 'portolan-guardian', LIST_OF_PROCESSES], {
      cwd: '/',
      detached: true,
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore', this.#mark ?? 'ignore'],
    });
    this.#shell = shell;
    shell.on('error', (error) => {
      this.#starts = MAX_STARTS; // there is no shell, so retrying is useless
      this.#lost(shell, error.message);
    });
    shell.on('exit', (code, signal) => this.#lost(shell, `it exited with ${signal ?? code}`));
    shell.stdin?.on('error', () => undefined); // `exit` reports its end
    shell.unref();
    setKeepsUsAlive(shell, false);
    for (const group of this.#leaders.keys()) shell.stdin?.write(`+${group}\n`);
  }

  watch(group: number): void {
    if (!Number.isSafeInteger(group) || group <= 1) throw new Error(`${group} is not a process group`);
    this.prepare();
    // Write to the pipe first: writing the record takes longer.
    this.#shell?.stdin?.write(`+${group}\n`);
    this.#leaders.set(group, identityOf(group));
    this.#record();
  }

  release(group: number): void {
    if (!this.#leaders.delete(group)) return;
    this.#shell?.stdin?.write(`-${group}\n`);
    this.#record();
  }

  /** Ends all groups that are still watched. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const shell = this.#shell;
    this.#shell = undefined;
    if (this.#mark !== undefined) process.getBuiltinModule('node:fs').closeSync(this.#mark);
    // If a process survives, keep the record for the next start of Portolan.
    if (shell === undefined ? !(await this.#endAll()) : !(await closeShell(shell))) return;
    this.#leaders.clear();
    this.#record();
  }

  async #endAll(): Promise<boolean> {
    if (process.platform === 'win32') return true;
    const trees = [...this.#leaders.keys()].map((group) => new ProcessTree(group));
    const ended = await Promise.all(trees.map((tree) => tree.end({ skipFirstWait: true })));
    return ended.every((isOver) => isOver);
  }

  #lost(shell: ChildProcess, reason: string): void {
    if (this.#shell !== shell) return;
    this.#shell = undefined;
    this.#tell(`the guardian of child processes ended: ${reason}`);
    if (this.#leaders.size > 0) this.prepare();
  }

  #record(): void {
    const leaders = [...this.#leaders.values()].filter((leader) => leader !== undefined);
    this.#tryTo('record', () => recordLeaders(this.#folder, leaders));
  }

  #tryTo(what: string, act: () => unknown): void {
    try {
      act();
    } catch (error) {
      this.#tell(`cannot ${what} the child processes: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Closes the stdin of the shell; false if the shell has not exited in time. */
async function closeShell(shell: ChildProcess): Promise<boolean> {
  if (shell.exitCode !== null || shell.signalCode !== null || shell.pid === undefined) return true;
  shell.ref(); // keep our process alive while we wait
  setKeepsUsAlive(shell, true);
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), CLOSE_LIMIT_MS);
    shell.once('exit', () => {
      clearTimeout(timer);
      resolve(true);
    });
    shell.stdin?.end(ALL_STARTS_REPORTED);
  });
}

/** The pipe to a child keeps the event loop alive independently of the child. */
function setKeepsUsAlive({ stdin }: ChildProcess, keeps: boolean): void {
  const { Socket } = process.getBuiltinModule('node:net');
  if (!(stdin instanceof Socket)) return;
  if (keeps) stdin.ref();
  else stdin.unref();
}
