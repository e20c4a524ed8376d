import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type GatewayOptions, type RunningGateway, startGateway } from '../../src/app/start-gateway.js';
import { type Log, silentLog } from '../../src/base/index.js';
import type { Conversation } from '../../src/model/index.js';
import { LineSplitter } from '../../src/rpc/line-splitter.js';
import { chooseSurface, ServerQuestions, type Session, type Surface, serveStdio } from '../../src/serve/index.js';
import { type Machine, makeMachine } from './machine.js';

const tests = dirname(fileURLToPath(import.meta.url));
/** The built program; `npm test` builds it first. */
const PROGRAM = join(tests, '../../dist/cli.cjs');
const MONITOR = pathToFileURL(join(tests, '../fixtures/servers/loop-monitor.mjs')).href;
export const ODD_SERVER = join(tests, '../fixtures/servers/odd-server.mjs');
/** A response that takes longer means that something hangs. */
const ANSWER_LIMIT_MS = 60_000;
const MAX_LINE_BYTES = 5 * 1024 * 1024;

export type Json = Record<string, unknown>;

/** In a soak the servers must run longer than their default limit. */
const LIFETIME = process.env.PORTOLAN_SOAK === '1' ? ['--lives', String(2 * 3_600_000)] : [];

/** An entry that starts odd-server.mjs; the arguments define its behaviour. */
export function odd(words: readonly string[] = [], more: Json = {}): Json {
  return { command: process.execPath, args: [ODD_SERVER, ...words, ...LIFETIME], ...more };
}

export function call(server: string, tool: string, given: Json = {}): Json {
  return { name: 'execute_tool', arguments: { server, tool, arguments: given } };
}

/** The first text of a result. */
export function textOf(result: unknown): string {
  const { content } = result as { content?: { text?: string }[] };
  return content?.[0]?.text ?? '';
}

/** The code of the error in a result, or undefined without an error. */
export function codeOf(result: unknown): string | undefined {
  const { isError, structuredContent } = result as { isError?: boolean; structuredContent?: unknown };
  return isError === true ? (structuredContent as { error: { code: string } }).error.code : undefined;
}

interface Waiting {
  readonly resolve: (message: Json) => void;
  readonly reject: (error: Error) => void;
}

/** A client that writes lines and counts the responses. Its ids start at 0. */
export class LineClient {
  readonly #input: Writable;
  readonly #waiting = new Map<string, Waiting>();
  /** The number of responses by the JSON of their id. */
  readonly answered = new Map<string, number>();
  readonly notifications: Json[] = [];
  /** Received lines that are not JSON; the gateway must never write one. */
  readonly broken: string[] = [];
  /** Called with every response without a pending request. */
  onAnswer: (message: Json) => void = () => undefined;
  #nextId = 0;

  constructor(input: Writable, output: Readable) {
    this.#input = input;
    input.on('error', () => undefined);
    const lines = new LineSplitter(() => Number.POSITIVE_INFINITY, {
      line: (bytes) => this.#receive(bytes.toString()),
      overlong: () => undefined,
    });
    output.on('data', (chunk: Buffer) => lines.push(chunk));
    output.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the connection closed before the response'));
    });
  }

  /** Resolves when the bytes are written. */
  write(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#input.write(bytes, () => resolve()));
  }

  /** Sends a request and returns the whole response, result or error. */
  request(method: string, params: Json = {}): Promise<Json> {
    const id = this.#nextId++;
    return this.answerTo(id, JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  }

  answerTo(id: unknown, line: string): Promise<Json> {
    const key = JSON.stringify(id);
    const answer = new Promise<Json>((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error(`no response to ${line.slice(0, 200)}`)), ANSWER_LIMIT_MS);
      this.#waiting.set(key, {
        resolve: (message) => {
          clearTimeout(limit);
          resolve(message);
        },
        reject: (error) => {
          clearTimeout(limit);
          reject(error);
        },
      });
    });
    answer.catch(() => undefined); // some callers do not await the response
    void this.write(`${line}\n`);
    return answer;
  }

  async execute(server: string, tool: string, given: Json = {}, meta?: Json): Promise<Json> {
    const { result } = await this.request('tools/call', { ...call(server, tool, given), ...(meta && { _meta: meta }) });
    return result as Json;
  }

  initialize(name = 'test'): Promise<Json> {
    const clientInfo = { name, version: '1' };
    return this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  }

  #receive(line: string): void {
    let message: Json;
    try {
      message = JSON.parse(line);
    } catch {
      this.broken.push(line);
      return;
    }
    if ('method' in message) {
      // The gateway disconnects clients that answer no ping.
      if (message.method === 'ping' && message.id !== undefined)
        void this.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} })}\n`);
      else this.notifications.push(message);
      return;
    }
    const key = JSON.stringify(message.id);
    this.answered.set(key, (this.answered.get(key) ?? 0) + 1);
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (waiting) waiting.resolve(message);
    else this.onAnswer(message);
  }
}

/** A gateway in this process, in a throw-away home, with only these servers. */
export interface HomeGateway extends AsyncDisposable {
  readonly machine: Machine;
  readonly running: RunningGateway;
  /** Connects another client over its own pipes; `expose` is the option of `serve`. */
  connect(expose?: string): LineClient;
  conversation(client?: string): Conversation;
}

export async function gatewayWith(
  servers: Readonly<Record<string, Json>>,
  settings: GatewayOptions['settings'] = {},
  log: Log = silentLog,
): Promise<HomeGateway> {
  const machine = makeMachine();
  const running = await startGateway({ ...machine.options({ servers, settings, clients: [] }), log });
  const sessions: Session[] = [];
  const surfaces = new Map<string | undefined, Surface>();
  const questions = new ServerQuestions();
  const limits = () => ({ maxLineBytes: MAX_LINE_BYTES, maxDepth: running.gateway.view.settings.limits.maxDepth });
  return {
    machine,
    running,
    connect: (expose) => {
      const surface = surfaces.get(expose) ?? chooseSurface(running.gateway, expose);
      surfaces.set(expose, surface); // all clients share one, as in the program
      const [input, output] = [new PassThrough(), new PassThrough()];
      const label = String(sessions.length);
      sessions.push(
        serveStdio({ surface, questions, version: '0', log, input, output, limits, label, principal: label }),
      );
      return new LineClient(input, output);
    },
    conversation: (client = 'test') => ({ client, signal: new AbortController().signal }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(sessions.map((session) => session.drain(0)));
      questions[Symbol.dispose]();
      await running[Symbol.asyncDispose]();
      machine[Symbol.dispose]();
    },
  };
}

interface Figures {
  /** The longest stall of the event loop, including time in which other processes had the CPU. */
  readonly stallMs: number;
  /** The longest time in which the event loop was busy. */
  readonly busyMs: number;
  readonly maxRssBytes: number;
  /** Includes the memory of buffers outside the heap. */
  readonly heapBytes: number;
  /** Properties that a message added to the prototype of all objects. */
  readonly polluted: readonly string[];
}

/** The built program in its own process, with a monitor inside. */
export interface WatchedGateway extends AsyncDisposable {
  readonly machine: Machine;
  readonly client: LineClient;
  readonly process: ChildProcess;
  readonly stderr: () => string;
  /** The figures since the last reset. */
  figures(word: 'reset' | 'read'): Promise<Figures>;
}

export function watchedGateway(
  servers: Readonly<Record<string, Json>>,
  settings: Json = {},
  args: readonly string[] = [],
  flags: readonly string[] = [],
): WatchedGateway {
  const machine = makeMachine();
  machine.write({
    '~/.cursor/mcp.json': JSON.stringify({ mcpServers: servers }),
    '~/.config/portolan/portolan.config.json': JSON.stringify(settings),
  });
  const child = spawn(process.execPath, ['--import', MONITOR, ...flags, PROGRAM, 'serve', ...args], {
    cwd: machine.project,
    env: { PATH: process.env.PATH ?? '', HOME: machine.home, USERPROFILE: machine.home, PORTOLAN_DAEMON: 'never' },
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  const exited = once(child, 'exit');
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('the gateway has no pipes');
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk}`.slice(-10_000);
  });
  return {
    machine,
    client: new LineClient(stdin, stdout),
    process: child,
    stderr: () => stderr,
    figures: async (word) => {
      const answer = once(child, 'message');
      child.send(word);
      return (await answer)[0] as Figures;
    },
    [Symbol.asyncDispose]: async () => {
      stdin.end();
      if (args.length > 0) child.kill('SIGTERM'); // with these options it does not read stdin
      const limit = setTimeout(() => child.kill('SIGKILL'), ANSWER_LIMIT_MS);
      await exited;
      clearTimeout(limit);
      machine[Symbol.dispose]();
    },
  };
}
