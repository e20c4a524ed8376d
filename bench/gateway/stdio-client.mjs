import { once } from 'node:events';
import { LineSplitter } from './line-splitter.mjs';
import { end, start } from './processes.mjs';

const LEAVE_LIMIT_MS = 5_000;

/** A client over two pipes without an SDK, so that its own cost is small and equal for all contenders. */
export class StdioClient {
  #child;
  #home;
  #waiting = new Map();
  #nextId = 1;
  #failure;

  constructor({ command, args }, { env, cwd }) {
    this.#home = env.HOME;
    this.#child = start(command, args, { env, cwd });
    const lines = new LineSplitter((line) => this.#read(line));
    this.#child.stdout.on('data', (chunk) => lines.push(chunk));
    this.#child.on('error', (error) => this.#fail(error));
    this.#child.on('exit', (code, signal) => {
      this.#fail(new Error(`ended with ${signal ?? `code ${code}`}${lastLine(this.#child.tail)}`));
    });
  }

  get home() {
    return this.#home;
  }

  request(method, params, limitMs) {
    if (this.#failure) return Promise.reject(this.#failure);
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`${method} not answered within ${limitMs} ms${lastLine(this.#child.tail)}`));
      }, limitMs);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#write({ jsonrpc: '2.0', id, method, params });
    });
  }

  notify(method) {
    this.#write({ jsonrpc: '2.0', method });
  }

  /** Disconnects as a client does; a process that has not exited afterwards is ended. */
  async leave() {
    const { exitCode, signalCode } = this.#child;
    this.#child.stdin.end();
    if (exitCode === null && signalCode === null) {
      await once(this.#child, 'exit', { signal: AbortSignal.timeout(LEAVE_LIMIT_MS) }).catch(() => {});
    }
    this.close();
  }

  close() {
    this.#fail(new Error('closed'));
    end(this.#child.pid, this.#home);
  }

  #write(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #read(line) {
    const message = JSON.parse(line.toString('utf8'));
    if (message.method !== undefined) {
      // A request of the server must not stay unanswered; a notification needs no response.
      if (message.id !== undefined) this.#write({ jsonrpc: '2.0', id: message.id, ...ANSWERS(message.method) });
      return;
    }
    const held = this.#waiting.get(message.id);
    if (!held) return;
    this.#waiting.delete(message.id);
    clearTimeout(held.timer);
    if (message.error) held.reject(new Error(`${message.error.code}: ${message.error.message}`));
    else held.resolve(message.result);
  }

  #fail(error) {
    this.#failure ??= error;
    for (const held of this.#waiting.values()) {
      clearTimeout(held.timer);
      held.reject(this.#failure);
    }
    this.#waiting.clear();
  }
}

const ANSWERS = (method) =>
  method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'the benchmark has no such method' } };

function lastLine(text) {
  const line = text.trim().split('\n').at(-1);
  return line ? `: ${line.slice(0, 300)}` : '';
}
