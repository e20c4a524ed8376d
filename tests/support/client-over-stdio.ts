import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Machine } from './machine.js';

const tests = dirname(fileURLToPath(import.meta.url));

/** The built program; `npm test` builds it first. */
export const PROGRAM = join(tests, '../../dist/cli.cjs');
/** A server without a library; its flags define its behaviour. */
export const FIXTURE = join(tests, '../fixtures/e2e/server.mjs');
const MODULES = join(tests, '../../node_modules');

/** A response that takes longer means that something hangs. */
const ANSWER_LIMIT_MS = 30_000;
const POLL_MS = 25;

type Json = Record<string, unknown>;
export type Variables = Readonly<Record<string, string>>;
/** For tests that are not about the sandbox: to start an engine takes seconds. */
export const NO_SANDBOX: Variables = { PORTOLAN_SANDBOX_ENGINE: 'off' };

/** The fields of a tool's result that tests use. */
export interface CallResult extends Json {
  readonly content: readonly Json[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** A JSON-RPC error response. */
class Fault extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: { readonly code: number; readonly message: string; readonly data?: unknown }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** An entry that starts the fixture server. */
export function fixture<M extends object>(words: readonly string[] = [], more?: M) {
  return { command: process.execPath, args: [FIXTURE, ...words], ...more };
}

/** An entry that starts a server from `node_modules`. */
export function installed<M extends object>(name: string, words: readonly string[] = [], more?: M) {
  return { command: process.execPath, args: [join(MODULES, name, 'dist/index.js'), ...words], ...more };
}

/** Writes the user's servers and optional settings. */
export function configure(machine: Machine, mcpServers: object, settings?: object): void {
  machine.write({
    '~/.cursor/mcp.json': JSON.stringify({ mcpServers }),
    ...(settings && { '~/.config/portolan/portolan.config.json': JSON.stringify(settings) }),
  });
}

/** The environment of the throw-away machine, without variables of the real one. Tests of the daemon override PORTOLAN_DAEMON. */
export function environment(machine: Machine, more: Variables = {}): Record<string, string> {
  const { home } = machine;
  return { PATH: process.env.PATH ?? '', HOME: home, USERPROFILE: home, PORTOLAN_DAEMON: 'never', ...more };
}

/** Runs one command and waits for its end. `doctor` starts no sandbox engine unless `env` names one. */
export function portolan(machine: Machine, args: readonly string[], env: Variables = {}) {
  return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    const variables = args[0] === 'doctor' ? { ...NO_SANDBOX, ...env } : env;
    const options = { cwd: machine.project, env: environment(machine, variables), timeout: ANSWER_LIMIT_MS };
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

/** A client that reads and writes lines, so that it can send messages that no library would send. */
export class StdioClient implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;
  readonly #waiting = new Map<unknown, { resolve: (message: Json) => void; reject: (error: Error) => void }>();
  readonly notifications: Json[] = [];
  /** Received messages that do not answer a `request`. */
  readonly unmatched: Json[] = [];
  readonly exited: Promise<Exit>;
  stderr = '';
  /** Called with every request of the server. */
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
        reject(new Error(`the server exited with ${signal ?? code}: ${this.stderr}`));
      return { code, signal };
    });
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the server did not start');
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

  /** Returns the result; rejects with a `Fault` for an error response. */
  async request(method: string, params?: Json): Promise<Json> {
    const id = this.#nextId++;
    return this.answerTo(id, { jsonrpc: '2.0', id, method, ...(params && { params }) });
  }

  /** Sends the message unchanged and waits for the response with its id. */
  async answerTo(id: unknown, message: Json | string): Promise<Json> {
    const answer = new Promise<Json>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      setTimeout(
        () => reject(new Error(`no response to ${JSON.stringify(message).slice(0, 200)}`)),
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

  /** The response of a meta-tool, parsed from the text for the model. */
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

  /** Stops reading the output. */
  stopReading(): void {
    this.#lines.removeAllListeners('line'); // the last one may be incomplete
    this.#child.stdout.pause();
  }

  /** Closes the reading end of the output. */
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
    else this.unmatched.push(message);
  }
}

interface GatewayOptions {
  readonly args?: readonly string[];
  readonly env?: Variables;
  /** Starts another process with the same options. */
  readonly program?: string;
}

/** Starts a gateway without the handshake. */
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

/** Starts a gateway and completes the handshake. */
export async function connect(machine: Machine, options: GatewayOptions = {}): Promise<StdioClient> {
  const client = start(machine, options);
  await client.initialize();
  return client;
}

/** Starts a server without a gateway and completes the handshake. */
export async function connectDirectly(
  { command, args, env = {} }: { readonly command: string; readonly args: readonly string[]; readonly env?: Variables },
  machine: Machine,
): Promise<StdioClient> {
  const client = new StdioClient({ command, args, cwd: machine.project, env: environment(machine, env) });
  await client.initialize();
  return client;
}

/** Polls until the value satisfies `holds`; throws with the last value after the limit. */
export async function until<T>(read: () => T | Promise<T>, holds: (value: T) => boolean, limitMs = 20_000): Promise<T> {
  const ends = performance.now() + limitMs;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (performance.now() > ends) throw new Error(`the condition was not met in time: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The pids that a fixture recorded, one for each start. */
export function startsIn(path: string): readonly number[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).map(Number) : [];
}

/** Waits until a fixture has received `count` tool calls; `path` is the file of its `--record`. */
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

/** Whether the process is a zombie. */
function isZombie(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false; // no /proc on this system
  }
}
