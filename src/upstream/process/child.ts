import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { folderFailure, startFailure, wordFailure } from './child-failure.js';
import type { Guardian } from './guardian.js';
import { DEFAULT_GRACE_MS, ProcessTree } from './process-tree.js';
import { StderrRing, type StderrTail } from './stderr-tail.js';
import { windowsCommand } from './windows-command.js';

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** All of it, as `childEnvironment` makes it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly guardian: Guardian;
  /** Values that its stderr must not show. */
  readonly secrets?: readonly string[];
  /** When it first looks for processes that the server put in sessions of their own. */
  readonly firstLookMs?: number;
}

interface ChildExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A running server and all processes that it starts. */
export interface Child {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: StderrTail;
  /** Of the process that we started; what it started itself is ended then. Never rejects. */
  readonly exited: Promise<ChildExit>;
  /** Settles once nobody holds its pipes any more: all that it said has been heard. */
  readonly heardOut: Promise<void>;
  /** Ends stdin, then asks, then kills; `graceMs` is the time for each of the first two. Resolves when nothing of it lives. */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

/** A leader that ended by itself has left nobody whose work could be lost. */
const LEFTOVER_GRACE_MS = 500;
const TASKKILL_LIMIT_MS = 5_000;
/** A server starts its helpers soon or when it is asked for something: after one second, two, four, and then every ten. */
const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 10_000;

/** Rejects with what a person can mend; says the command, and no argument or value. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { command, args, env, cwd, guardian, secrets, firstLookMs = FIRST_LOOK_MS } = options;
  checkWords(command, args, env, cwd);
  if (!isFolder(cwd)) throw folderFailure(command);
  const launch = forPlatform(command, args, env, cwd);
  const mark = guardian.prepare();
  const spawned = spawnProcess(launch, env, cwd, command, mark);
  const { pid } = spawned;
  if (pid === undefined || !hasPipes(spawned)) throw startFailure(command, await failureOf(spawned));
  guardian.watch(pid);
  return new RunningChild(spawned, pid, guardian, new StderrRing(secrets), firstLookMs);
}

class RunningChild implements Child {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: StderrTail;
  readonly heardOut: Promise<void>;
  readonly exited: Promise<ChildExit>;
  readonly #guardian: Guardian;
  readonly #tree: ProcessTree;
  readonly #outposts = new Set<number>();
  #nextLook: NodeJS.Timeout | undefined;
  #hasExited = false;
  #ending: Promise<void> | undefined;

  constructor(
    spawned: ChildProcessWithoutNullStreams,
    pid: number,
    guardian: Guardian,
    tail: StderrRing,
    firstLookMs: number,
  ) {
    this.pid = pid;
    this.stdin = spawned.stdin;
    this.stdout = spawned.stdout;
    this.stderr = tail;
    this.#guardian = guardian;
    this.#tree = new ProcessTree(pid);
    if (process.platform !== 'win32') this.#lookIn(firstLookMs);
    spawned.stderr.on('data', (chunk: Buffer) => tail.push(chunk));
    // A broken pipe is the end of the child, which `exited` tells; without a listener it would be ours.
    for (const stream of [spawned, spawned.stdin, spawned.stdout, spawned.stderr]) stream.on('error', () => undefined);
    this.heardOut = new Promise((resolve) => {
      spawned.once('close', () => resolve());
    });
    this.exited = new Promise((resolve) => {
      spawned.once('exit', (code, signal) => {
        this.#hasExited = true;
        resolve({ code, signal });
        // Its whole tree dies with it.
        this.#ending ??= this.#end({ graceMs: LEFTOVER_GRACE_MS, skipFirstWait: true });
      });
    });
  }

  stop({ graceMs = DEFAULT_GRACE_MS }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#ending ??= this.#end({ graceMs, skipFirstWait: false });
    return this.#ending;
  }

  async #end(options: { readonly graceMs: number; readonly skipFirstWait: boolean }): Promise<void> {
    clearTimeout(this.#nextLook);
    this.stdin.end();
    const onSignal = () => this.stdin.destroy();
    if (process.platform === 'win32') await this.#endOnWindows(options.graceMs, onSignal);
    // What even SIGKILL does not end stays watched, and in the record for the next start.
    else if (!(await this.#tree.end({ ...options, onSignal }))) return;
    for (const group of [this.pid, ...this.#outposts]) this.#guardian.release(group);
  }

  /** A browser in a session of its own is found by its parent alone, so it must be found before that is dead. */
  #lookIn(delayMs: number): void {
    this.#nextLook = setTimeout(async () => {
      // All children share a reading of the table.
      const now = await this.#tree.outposts(delayMs / 2);
      if (this.#ending) return;
      for (const group of this.#outposts) if (!now.has(group)) this.#guardian.release(group);
      for (const group of now) if (!this.#outposts.has(group)) this.#guardian.watch(group);
      this.#outposts.clear();
      for (const group of now) this.#outposts.add(group);
      this.#lookIn(Math.min(2 * delayMs, LONGEST_LOOK_MS));
    }, delayMs).unref();
  }

  async #endOnWindows(graceMs: number, onSignal: () => void): Promise<void> {
    if (!this.#hasExited) await within(graceMs, this.exited);
    onSignal();
    if (this.#hasExited) return; // its number may be somebody else's by now
    const { execFile } = process.getBuiltinModule('node:child_process');
    const limits = { timeout: TASKKILL_LIMIT_MS, windowsHide: true };
    await new Promise((done) => execFile('taskkill', ['/pid', String(this.pid), '/T', '/F'], limits, done));
    await within(TASKKILL_LIMIT_MS, this.exited);
  }
}

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly verbatim: boolean;
}

function forPlatform(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Launch {
  if (process.platform !== 'win32') return { command, args, verbatim: false };
  const launch = windowsCommand(command, args, env, cwd, isFile);
  if (launch === undefined) throw wordFailure(command, 'one of its arguments');
  return launch;
}

function spawnProcess(
  { command, args, verbatim }: Launch,
  env: Readonly<Record<string, string>>,
  cwd: string,
  written: string,
  mark: number | 'ignore',
): ChildProcess {
  try {
    return process.getBuiltinModule('node:child_process').spawn(command, args, {
      cwd,
      env: { ...env },
      shell: false,
      // A session of its own, by which all that it starts is found again.
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe', mark],
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
    });
  } catch (error) {
    throw startFailure(written, codeOf(error));
  }
}

/** All that started have: Node's types only know it of those with no descriptor more. */
function hasPipes(spawned: ChildProcess): spawned is ChildProcessWithoutNullStreams {
  return Boolean(spawned.stdin && spawned.stdout && spawned.stderr);
}

function failureOf(spawned: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    spawned.once('error', (error) => resolve(codeOf(error)));
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** Checked here because Node's own complaint shows the value. */
function checkWords(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): void {
  if (command === '') throw startFailure(command, 'ENOENT');
  for (const [where, text] of [
    ['its name', command],
    ['its folder', cwd],
  ] as const)
    if (text.includes('\0')) throw wordFailure(command, where);
  const wrongArgument = args.findIndex((arg) => arg.includes('\0'));
  if (wrongArgument >= 0) throw wordFailure(command, `argument ${wrongArgument + 1}`);
  const wrongVariable = Object.entries(env).find(([name, value]) => `${name}${value}`.includes('\0'));
  if (wrongVariable) throw wordFailure(command, `the variable ${wrongVariable[0]}`);
}

function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return statOf(path)?.isFile() === true;
}

function statOf(path: string) {
  try {
    return process.getBuiltinModule('node:fs').statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a loop of links, or a folder that we may not enter
  }
}

async function within(limitMs: number, wanted: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([wanted, limit]).finally(() => clearTimeout(timer));
}
