import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Machine } from './machine.js';

const tests = dirname(fileURLToPath(import.meta.url));

/** The program as it is shipped; the suite builds it first. */
export const PROGRAM = join(tests, '../../dist/cli.cjs');
/** A server without any library, whose flags say how it behaves. */
export const FIXTURE = join(tests, '../fixtures/e2e/server.mjs');
const MODULES = join(tests, '../../node_modules');

/** No answer takes this long unless something hangs. */
const ANSWER_LIMIT_MS = 30_000;
const LOOK_MS = 25;

type Json = Record<string, unknown>;
export type Variables = Readonly<Record<string, string>>;

/** What a tool gave, as far as these tests look at it. */
export interface CallResult extends Json {
  readonly content: readonly Json[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** An answer that is an error of the protocol. */
class Fault extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: { readonly code: number; readonly message: string; readonly data?: unknown }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** An entry of a client's file that starts the fixture. */
export function fixture<M extends object>(words: readonly string[] = [], more?: M) {
  return { command: process.execPath, args: [FIXTURE, ...words], ...more };
}

/** An entry that starts a server out of `node_modules`. */
export function installed<M extends object>(name: string, words: readonly string[] = [], more?: M) {
  return { command: process.execPath, args: [join(MODULES, name, 'dist/index.js'), ...words], ...more };
}

/** Writes the servers of the user and, if there are any, the settings of Portolan. */
export function configure(machine: Machine, mcpServers: object, settings?: object): void {
  machine.write({
    '~/.cursor/mcp.json': JSON.stringify({ mcpServers }),
    ...(settings && { '~/.config/portolan/portolan.config.json': JSON.stringify(settings) }),
  });
}

/** The machine's own environment, and nothing of the real one that could lead out of it. Who means the daemon says so. */
export function environment(machine: Machine, more: Variables = {}): Record<string, string> {
  const { home } = machine;
  return { PATH: process.env.PATH ?? '', HOME: home, USERPROFILE: home, PORTOLAN_DAEMON: 'never', ...more };
}

/** Runs one command to its end. */
export function portolan(machine: Machine, args: readonly string[], env: Variables = {}) {
  return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: machine.project, env: environment(machine, env), timeout: ANSWER_LIMIT_MS };
    const child = execFile(process.execPath, [PROGRAM, ...args], options, (error, stdout, stderr) => {
      const status = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
      resolve({ status, stdout, stderr });
    });
    child.stdin?.end();
  });
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Variables;
}

/** A client that speaks to a server line by line, so that it can also say what no library would. */
export class StdioClient implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;
  readonly #waiting = new Map<unknown, { resolve: (message: Json) => void; reject: (error: Error) => void }>();
  readonly notifications: Json[] = [];
  /** What came without being an answer to anything asked through `request`. */
  readonly stray: Json[] = [];
  readonly exited: Promise<Exit>;
  stderr = '';
  /** Called with every request of the other side. */
  onRequest: (message: Json) => void = () => undefined;
  #nextId = 1;

  constructor({ command, args, cwd, env }: Launch) {
    this.#child = spawn(command, args, { cwd, env });
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.stderr += chunk;
    });
    this.#lines = createInterface({ input: this.#child.stdout });
    this.#lines.on('line', (line) => this.#receive(JSON.parse(line)));
    this.exited = once(this.#child, 'close').then(([code, signal]) => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`it ended with ${signal ?? code}: ${this.stderr}`));
      return { code, signal };
    });
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('it did not start');
    return this.#child.pid;
  }

  async initialize(name = 'test'): Promise<Json> {
    const answer = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name, version: '1' },
    });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return answer;
  }

  /** The result; rejects with a `Fault` where the answer is an error. */
  async request(method: string, params?: Json): Promise<Json> {
    const id = this.#nextId++;
    return this.answerTo(id, { jsonrpc: '2.0', id, method, ...(params && { params }) });
  }

  /** Sends a message as it is and waits for the answer with that id. */
  async answerTo(id: unknown, message: Json | string): Promise<Json> {
    const answer = new Promise<Json>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      setTimeout(
        () => reject(new Error(`no answer to ${JSON.stringify(message).slice(0, 200)}`)),
        ANSWER_LIMIT_MS,
      ).unref();
    });
    this.send(message);
    const { result, error } = await answer;
    if (error) throw new Fault(error as Fault);
    return result as Json;
  }

  send(message: Json | string): void {
    this.#child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  }

  call(name: string, given: Json = {}, meta?: Json): Promise<CallResult> {
    return this.request('tools/call', { name, arguments: given, ...(meta && { _meta: meta }) }) as Promise<CallResult>;
  }

  /** What a meta-tool answers, read out of the text that a model is shown. */
  async ask(name: string, given: Json = {}) {
    const { content } = await this.call(name, given);
    return JSON.parse(String(content[0]?.text));
  }

  execute(server: string, tool: string, given: Json = {}, meta?: Json): Promise<CallResult> {
    return this.call('execute_tool', { server, tool, arguments: given }, meta);
  }

  endInput(): void {
    this.#child.stdin.end();
  }

  /** From now on nobody takes what it says. */
  stopReading(): void {
    this.#lines.removeAllListeners('line'); // the last one may be cut off
    this.#child.stdout.pause();
  }

  /** Whoever read what it says is gone. */
  closeOutput(): void {
    this.#child.stdout.destroy();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end();
    const limit = setTimeout(() => this.#child.kill('SIGKILL'), ANSWER_LIMIT_MS);
    await this.exited;
    clearTimeout(limit);
  }

  #receive(message: Json): void {
    if ('method' in message) {
      this.notifications.push(message);
      if (message.id !== undefined) this.onRequest(message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (waiting) waiting.resolve(message);
    else this.stray.push(message);
  }
}

interface GatewayOptions {
  readonly args?: readonly string[];
  readonly env?: Variables;
  /** Another copy of it. */
  readonly program?: string;
}

/** A gateway that nobody has spoken to yet. */
export function start(
  machine: Machine,
  { args = ['serve'], env = {}, program = PROGRAM }: GatewayOptions = {},
): StdioClient {
  return new StdioClient({
    command: process.execPath,
    args: [program, ...args],
    cwd: machine.project,
    env: environment(machine, env),
  });
}

/** A client that has said hello to a gateway of its own. */
export async function connect(machine: Machine, options: GatewayOptions = {}): Promise<StdioClient> {
  const client = start(machine, options);
  await client.initialize();
  return client;
}

/** The same without a gateway: a client that has said hello to the server itself. */
export async function connectDirectly(
  { command, args, env = {} }: { readonly command: string; readonly args: readonly string[]; readonly env?: Variables },
  machine: Machine,
): Promise<StdioClient> {
  const client = new StdioClient({ command, args, cwd: machine.project, env: environment(machine, env) });
  await client.initialize();
  return client;
}

/** Waits until something holds; fails with what it was after a long time. */
export async function until<T>(read: () => T | Promise<T>, holds: (value: T) => boolean, limitMs = 20_000): Promise<T> {
  const ends = performance.now() + limitMs;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (performance.now() > ends) throw new Error(`it did not come: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** The pids that a fixture wrote down, one for each start. */
export function startsIn(path: string): readonly number[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).map(Number) : [];
}

/** Waits until a fixture has received so many calls of tools; `path` is the file of its `--heard`. */
export async function callsReceived(path: string, count = 1): Promise<void> {
  await until(
    () => (existsSync(path) ? readFileSync(path, 'utf8').split('"tools/call"').length - 1 : 0),
    (calls) => calls >= count,
  );
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch {
    return false;
  }
}

/** Dead, and not yet fetched by the one who should. */
function isZombie(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false; // no such place on this system
  }
}
