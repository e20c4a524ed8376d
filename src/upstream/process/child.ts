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
  /** The complete environment, as made by `childEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly guardian: Guardian;
  /** Values to mask in its stderr. */
  readonly secrets?: readonly string[];
  /** The delay before the first search for descendants that started their own session. */
  readonly firstSearchMs?: number;
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
  /** Resolves when the started process exits; its descendants are then ended. Never rejects. */
  readonly exited: Promise<ChildExit>;
  /** Resolves when every process has closed the pipes, so all output has been read. */
  readonly outputClosed: Promise<void>;
  /** Closes stdin, sends SIGTERM after `graceMs`, and SIGKILL after another `graceMs`. Resolves when no process of it is left. */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

/** After the server itself has exited, its descendants have no work left to finish. */
const LEFTOVER_GRACE_MS = 500;
const TASKKILL_LIMIT_MS = 5_000;
/** Servers start helper processes early or during a call: search after 1, 2, 4 and 8 seconds, then every 10. */
const FIRST_SEARCH_MS = 1_000;
const LONGEST_SEARCH_MS = 10_000;

/** Rejects with a `PortolanError` that names the command, but no argument or value. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { command, args, env, cwd, guardian, secrets, firstSearchMs = FIRST_SEARCH_MS } = options;
  checkWords(command, args, env, cwd);
  if (!isFolder(cwd)) throw folderFailure(command);
  const launch = forPlatform(command, args, env, cwd);
  const mark = guardian.prepare();
  const spawned = spawnProcess(launch, env, cwd, command, mark);
  const { pid } = spawned;
  if (pid === undefined || !hasPipes(spawned)) throw startFailure(command, await failureOf(spawned));
  guardian.watch(pid);
  return new RunningChild(spawned, pid, guardian, new StderrRing(secrets), firstSearchMs);
}

class RunningChild implements Child {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: StderrTail;
  readonly outputClosed: Promise<void>;
  readonly exited: Promise<ChildExit>;
  readonly #guardian: Guardian;
  readonly #tree: ProcessTree;
  readonly #groupsOutside = new Set<number>();
  #nextSearch: NodeJS.Timeout | undefined;
  #hasExited = false;
  #ending: Promise<void> | undefined;

  constructor(
    spawned: ChildProcessWithoutNullStreams,
    pid: number,
    guardian: Guardian,
    tail: StderrRing,
    firstSearchMs: number,
  ) {
    this.pid = pid;
    this.stdin = spawned.stdin;
    this.stdout = spawned.stdout;
    this.stderr = tail;
    this.#guardian = guardian;
    this.#tree = new ProcessTree(pid);
    if (process.platform !== 'win32') this.#searchIn(firstSearchMs);
    spawned.stderr.on('data', (chunk: Buffer) => tail.push(chunk));
    // `exited` reports a broken pipe. Without an error listener Node would end our process.
    for (const stream of [spawned, spawned.stdin, spawned.stdout, spawned.stderr]) stream.on('error', () => undefined);
    this.outputClosed = new Promise((resolve) => {
      spawned.once('close', () => resolve());
    });
    this.exited = new Promise((resolve) => {
      spawned.once('exit', (code, signal) => {
        this.#hasExited = true;
        resolve({ code, signal });
        // End the descendants together with the server.
        this.#ending ??= this.#end({ graceMs: LEFTOVER_GRACE_MS, skipFirstWait: true });
      });
    });
  }

  stop({ graceMs = DEFAULT_GRACE_MS }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#ending ??= this.#end({ graceMs, skipFirstWait: false });
    return this.#ending;
  }

  async #end(options: { readonly graceMs: number; readonly skipFirstWait: boolean }): Promise<void> {
    clearTimeout(this.#nextSearch);
    this.stdin.end();
    const onSignal = () => this.stdin.destroy();
    if (process.platform === 'win32') await this.#endOnWindows(options.graceMs, onSignal);
    // If processes survive SIGKILL, the guardian keeps watching them and the record stays for the next start.
    else if (!(await this.#tree.end({ ...options, onSignal }))) return;
    for (const group of [this.pid, ...this.#groupsOutside]) this.#guardian.release(group);
  }

  /** A descendant in its own session is only found through its parent, so record it before the parent exits. */
  #searchIn(delayMs: number): void {
    this.#nextSearch = setTimeout(async () => {
      // All children share one recent read of the process table.
      const now = await this.#tree.groupsOutside(delayMs / 2);
      if (this.#ending) return;
      for (const group of this.#groupsOutside) if (!now.has(group)) this.#guardian.release(group);
      for (const group of now) if (!this.#groupsOutside.has(group)) this.#guardian.watch(group);
      this.#groupsOutside.clear();
      for (const group of now) this.#groupsOutside.add(group);
      this.#searchIn(Math.min(2 * delayMs, LONGEST_SEARCH_MS));
    }, delayMs).unref();
  }

  async #endOnWindows(graceMs: number, onSignal: () => void): Promise<void> {
    if (!this.#hasExited) await within(graceMs, this.exited);
    onSignal();
    if (this.#hasExited) return; // the pid may already belong to another process
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
      // Its own session, which identifies all its descendants.
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe', mark],
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
    });
  } catch (error) {
    throw startFailure(written, codeOf(error));
  }
}

/** Every started process has the three pipes, but Node's types say so only without a fourth descriptor. */
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

/** Checked here because the error of Node would show the value. */
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
    return undefined; // a loop of symbolic links, or no permission
  }
}

async function within(limitMs: number, wanted: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([wanted, limit]).finally(() => clearTimeout(timer));
}
