import { Agent, request as httpRequest } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { end, start } from './processes.mjs';

const RETRY_MS = 5;
const START_LIMIT_MS = 30_000;
const SOCKETS = 32;

/** The same as the client over pipes, for gateways that listen on streamable HTTP: one kept-alive request a message. */
export class HttpClient {
  #child;
  #home;
  #agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
  #port;
  #session;
  #nextId = 1;
  #exited;

  constructor({ command, args, port }, { env, cwd }) {
    this.#port = port;
    this.#home = env.HOME;
    this.#child = start(command, args, { env, cwd });
    this.#child.stdout.resume();
    this.#child.on('error', (error) => {
      this.#exited = error;
    });
    this.#child.on('exit', (code, signal) => {
      this.#exited = new Error(`ended with ${signal ?? `code ${code}`}: ${this.#child.tail.trim().split('\n').at(-1)}`);
    });
  }

  get home() {
    return this.#home;
  }

  async request(method, params, limitMs) {
    const id = this.#nextId;
    this.#nextId += 1;
    const message = { jsonrpc: '2.0', id, method, params };
    // Only the first request can come before the gateway listens.
    const answer =
      method === 'initialize' ? await this.#retrying(message, limitMs) : await this.#post(message, limitMs);
    if (answer?.error) throw new Error(`${answer.error.code}: ${answer.error.message}`);
    return answer?.result;
  }

  notify(method) {
    return this.#post({ jsonrpc: '2.0', method }, START_LIMIT_MS);
  }

  close() {
    this.#agent.destroy();
    end(this.#child.pid, this.#home);
  }

  async #retrying(message, limitMs) {
    const deadline = Date.now() + START_LIMIT_MS;
    for (;;) {
      if (this.#exited) throw this.#exited;
      try {
        return await this.#post(message, limitMs);
      } catch (error) {
        if (error.code !== 'ECONNREFUSED' || Date.now() > deadline) throw error;
        await pause(RETRY_MS);
      }
    }
  }

  #post(message, limitMs) {
    const body = JSON.stringify(message);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': Buffer.byteLength(body),
      ...(this.#session && { 'mcp-session-id': this.#session }),
    };
    return new Promise((resolve, reject) => {
      const call = httpRequest(
        { host: '127.0.0.1', port: this.#port, path: '/mcp', method: 'POST', agent: this.#agent, headers },
        (response) => {
          this.#session ??= response.headers['mcp-session-id'];
          const chunks = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            if (response.statusCode >= 400) reject(new Error(`HTTP ${response.statusCode}: ${text.slice(0, 200)}`));
            else resolve(message.id === undefined ? undefined : find(text, message.id));
          });
        },
      );
      call.setTimeout(limitMs, () => call.destroy(new Error(`${message.method} not answered within ${limitMs} ms`)));
      call.on('error', reject);
      call.end(body);
    });
  }
}

/** The answer is the body itself or one of the events in it. */
function find(text, id) {
  if (text.startsWith('{')) return JSON.parse(text);
  for (const line of text.split('\n')) {
    if (!line.startsWith('data: {')) continue;
    const message = JSON.parse(line.slice('data: '.length));
    if (message.id === id) return message;
  }
  throw new Error(`no answer in ${text.slice(0, 200)}`);
}

/** A port that is free now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
