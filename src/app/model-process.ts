import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { isObject, type Log } from '../base/index.js';
import type { Embedder } from '../search/index.js';
import { MODEL_PROGRAM } from './model-program.js';

/** The model is loaded again when it is needed. */
const IDLE_MS = 10 * 60_000;
const START_AFTER_MS = 2_000;
const MAX_HEAP_MB = 512;
/** Variables without which programs on Windows fail; the model gets no others. */
const VARIABLES = ['SystemRoot', 'SYSTEMROOT'] as const;

type Vectors = readonly (readonly number[])[];

interface Request {
  readonly resolve: (vectors: Vectors) => void;
  readonly reject: (error: Error) => void;
}

/** The optional model for search in a process of its own, so that it blocks nothing and its memory can be freed. */
export class ModelProcess implements Embedder, Disposable {
  /** The tools of a gateway that has just started can wait. */
  readonly startAfterMs = START_AFTER_MS;
  readonly #folder: string;
  readonly #log: Log;
  readonly #requests: Request[] = [];
  #child: ChildProcessWithoutNullStreams | undefined;
  #isReady = false;
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  embed(texts: readonly string[]): Promise<Vectors> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(new Error('the model was closed'));
        return;
      }
      this.#child ??= this.#start();
      this.#requests.push({ resolve, reject });
      this.#child.stdin.write(`${JSON.stringify(texts)}\n`);
      clearTimeout(this.#idle);
      this.#idle = setTimeout(() => this.#stop(), IDLE_MS).unref();
    });
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#stop();
  }

  #start(): ChildProcessWithoutNullStreams {
    const env = Object.fromEntries(
      VARIABLES.flatMap((name) => [[name, process.env[name]]]).filter(([, value]) => value),
    );
    const args = [`--max-old-space-size=${MAX_HEAP_MB}`, '--input-type=commonjs', '-e', MODEL_PROGRAM, this.#folder];
    const child = spawn(process.execPath, args, { cwd: this.#folder, env, stdio: 'pipe', windowsHide: true });
    // The process must not keep a command alive that has finished; it exits when its input ends.
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
    child.stdin.on('error', () => undefined);
    child.stderr.resume();
    createInterface({ input: child.stdout }).on('line', (line) => this.#receive(child, line));
    child.on('error', (error) => this.#ended(child, error.message));
    child.on('close', (code, signal) => this.#ended(child, `it exited with ${signal ?? code}`));
    return child;
  }

  #receive(child: ChildProcessWithoutNullStreams, line: string): void {
    if (child !== this.#child) return;
    const answer = parsed(line);
    if (answer?.ready === true) {
      this.#isReady = true;
      return;
    }
    const request = this.#requests.shift();
    if (isVectors(answer?.vectors)) request?.resolve(answer.vectors);
    else request?.reject(new Error('the model returned no vectors'));
  }

  #stop(): void {
    clearTimeout(this.#idle);
    const child = this.#child;
    if (!child) return;
    this.#child = undefined;
    this.#isReady = false;
    this.#rejectAll('the model was stopped');
    child.kill();
  }

  #ended(child: ChildProcessWithoutNullStreams, why: string): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    this.#isReady = false;
    if (this.#requests.length > 0) this.#log('warn', 'the model for search failed', { error: why });
    this.#rejectAll(why);
  }

  #rejectAll(why: string): void {
    for (const { reject } of this.#requests.splice(0)) reject(new Error(why));
  }
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isVectors(value: unknown): value is Vectors {
  return (
    Array.isArray(value) &&
    value.every((one) => Array.isArray(one) && one.every((component) => typeof component === 'number'))
  );
}
