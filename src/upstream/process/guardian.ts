import type { ChildProcess } from 'node:child_process';
import { identityOf, type ProcessIdentity } from '../../base/index.js';
import { ALL_IS_TOLD, guardianScript } from './guardian-script.js';
import { openLaunchMark } from './launch-mark.js';
import { recordLeaders } from './orphans.js';
import { ProcessTree } from './process-tree.js';

/** Ends the children of this process should it be killed. One for all of them. */
export interface Guardian extends AsyncDisposable {
  /**
   * Called before a child is started. What it gives is the child's descriptor `MARK_DESCRIPTOR`: should this process be
   * killed between the start and `watch`, the child is known by it.
   */
  prepare(): number | 'ignore';
  /** From now on the group, and the session of the same number, dies with this process. */
  watch(group: number): void;
  /** For when nothing of the group lives. */
  release(group: number): void;
}

export interface GuardianOptions {
  /** Where `killOrphans` of a later process looks. */
  readonly folder: string;
  /** Told what keeps children from being ended after us; they run all the same. */
  readonly onProblem?: (message: string) => void;
}

const SHELL = '/bin/sh';
const LIST_OF_PROCESSES = '/proc';
/** Somebody who kills it again and again shall have his way. */
const MAX_STARTS = 10;
/** It takes half as long to end the most stubborn group. */
const CLOSE_LIMIT_MS = 5_000;

/** Starts nothing before the first child is about to. Without `sh` only the record on the disk is kept. */
export function startGuardian(options: GuardianOptions): Guardian {
  return new ShellGuardian(options);
}

class ShellGuardian implements Guardian {
  readonly #folder: string;
  readonly #tell: (message: string) => void;
  readonly #leaders = new Map<number, ProcessIdentity | undefined>();
  #shell: ChildProcess | undefined;
  /** Absent before the first start, and where there is none. */
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
    // In a session of its own: what is sent to our group or by our terminal must not end it.
    const shell = spawn(SHELL, ['-c', guardianScript(), 'portolan-guardian', LIST_OF_PROCESSES], {
      cwd: '/',
      detached: true,
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore', this.#mark ?? 'ignore'],
    });
    this.#shell = shell;
    shell.on('error', (error) => {
      this.#starts = MAX_STARTS; // there is no shell, and trying again makes none
      this.#lost(shell, error.message);
    });
    shell.on('exit', (code, signal) => this.#lost(shell, `it ended with ${signal ?? code}`));
    shell.stdin?.on('error', () => undefined); // its end is told by `exit`
    shell.unref();
    setKeepsUsAlive(shell, false);
    for (const group of this.#leaders.keys()) shell.stdin?.write(`+${group}\n`);
  }

  watch(group: number): void {
    if (!Number.isSafeInteger(group) || group <= 1) throw new Error(`${group} is no group`);
    this.prepare();
    // First the pipe, which takes the line at once: the record takes longer.
    this.#shell?.stdin?.write(`+${group}\n`);
    this.#leaders.set(group, identityOf(group));
    this.#record();
  }

  release(group: number): void {
    if (!this.#leaders.delete(group)) return;
    this.#shell?.stdin?.write(`-${group}\n`);
    this.#record();
  }

  /** What is still watched is ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const shell = this.#shell;
    this.#shell = undefined;
    if (this.#mark !== undefined) process.getBuiltinModule('node:fs').closeSync(this.#mark);
    // Where something lives on, the record stays for whoever comes next.
    if (shell === undefined ? !(await this.#endAll()) : !(await closed(shell))) return;
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
    this.#tell(`the guardian of child processes is gone: ${reason}`);
    if (this.#leaders.size > 0) this.prepare();
  }

  #record(): void {
    const leaders = [...this.#leaders.values()].filter((leader) => leader !== undefined);
    this.#tryTo('write down', () => recordLeaders(this.#folder, leaders));
  }

  #tryTo(what: string, act: () => unknown): void {
    try {
      act();
    } catch (error) {
      this.#tell(`cannot ${what} the child processes: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Whether it ended in time after its stdin did. */
async function closed(shell: ChildProcess): Promise<boolean> {
  if (shell.exitCode !== null || shell.signalCode !== null || shell.pid === undefined) return true;
  shell.ref(); // somebody waits for it now
  setKeepsUsAlive(shell, true);
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), CLOSE_LIMIT_MS);
    shell.once('exit', () => {
      clearTimeout(timer);
      resolve(true);
    });
    shell.stdin?.end(ALL_IS_TOLD);
  });
}

/** The pipe to a child counts as work to be done, beside the child. */
function setKeepsUsAlive({ stdin }: ChildProcess, keeps: boolean): void {
  const { Socket } = process.getBuiltinModule('node:net');
  if (!(stdin instanceof Socket)) return;
  if (keeps) stdin.ref();
  else stdin.unref();
}
