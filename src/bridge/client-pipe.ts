import { isDeeperThan, isObject } from '../base/index.js';
import { LineSplitter, NO_ID, type RpcFault, readId, tooLarge } from '../rpc/index.js';
import { MAX_LINE_BYTES, readClientLine } from './client-line.js';
import { ClientOutput } from './client-output.js';
import { ClientState } from './client-state.js';
import type { DaemonConnection } from './daemon-connection.js';
import { DaemonQuestions } from './daemon-questions.js';
import { parsed } from './parse-bytes.js';
import { isRepeatable, LISTEN, type PendingRequest, PendingRequests } from './pending-requests.js';
import type { PipeOptions } from './pipe-options.js';
import { ENDING, LOST, MAX_ANSWER_DEPTH, NO_GATEWAY, SHUTDOWN_TIMEOUT, TOO_DEEP } from './rpc-faults.js';

/** Limits reconnection if each daemon exits while the client's state is restored. */
const MAX_RESTORES = 5;
/** Notifications and other messages without a response that are kept during a reconnection. */
const MAX_HELD = 1_000;
const LEAVING = 'notifications/bridge/leaving';
const LEFT = 'notifications/bridge/left';
const CANCELLED = 'notifications/cancelled';

/** Connects a client's stdin and stdout to a daemon. If the daemon exits, another daemon takes over unnoticed. */
export class Pipe {
  readonly #options: PipeOptions;
  readonly #client: ClientOutput;
  readonly #pending = new PendingRequests();
  readonly #state = new ClientState();
  readonly #questions = new DaemonQuestions();
  readonly #lines = new Set<DaemonConnection>();
  /** Messages without a response that arrived during a reconnection. */
  #held: Buffer[] = [];
  #line: DaemonConnection | undefined;
  #isOver = false;
  #isDraining = false;
  #isSearching = false;
  #isLate = false;
  #end: () => void = () => undefined;

  constructor(options: PipeOptions) {
    this.#options = options;
    this.#client = new ClientOutput(options.output);
  }

  /** Settles when the client has disconnected. Without a connection, each request starts a search for a daemon. */
  run(line: DaemonConnection | undefined): Promise<void> {
    const over = new Promise<void>((resolve) => {
      this.#end = resolve;
    });
    const { input, output } = this.#options;
    if (line) this.#use(line);
    this.#line = line;
    this.#isLate = line === undefined;
    const splitter = new LineSplitter(() => MAX_LINE_BYTES, {
      line: (bytes) => this.#fromClient(bytes),
      overlong: ({ bytes, id, isRequest }) => {
        // An oversized response gets an error without its id, because a request of the client may have the same id.
        if (isRequest || id === undefined) this.#client.refuse(JSON.stringify(id ?? null), tooLarge(bytes));
        else this.#questions.answer({ id, error: tooLarge(bytes) });
      },
    });
    input.on('data', (chunk: Buffer) => splitter.push(chunk));
    input.on('end', () => {
      splitter.end();
      this.#clientLeft();
    });
    input.on('error', () => this.#clientLeft());
    for (const event of ['error', 'close']) output.on(event, () => this.stop());
    return over;
  }

  /** Rejects new requests, waits up to `limitMs` for pending responses, and then disconnects. */
  drain(limitMs: number): void {
    this.#isOver = true;
    this.#isDraining = true;
    setTimeout(() => {
      this.#refuseAll(this.#pending.all(), SHUTDOWN_TIMEOUT);
      this.stop();
    }, limitMs).unref();
    this.#endIfQuiet();
  }

  /** Disconnects at once. */
  stop(): void {
    this.#isOver = true;
    for (const line of this.#lines) line.stream.destroy();
    this.#end();
  }

  /** Ends the daemon's input; pending responses are still delivered. */
  #clientLeft(): void {
    this.#isOver = true;
    for (const line of this.#lines) line.stream.end();
    this.#endIfDone();
  }

  /** Ends if the client has disconnected and no daemon can answer its pending requests. */
  #endIfDone(): void {
    if (this.#lines.size === 0 && !this.#isSearching) this.#end();
  }

  /** On shutdown, ends the input when only listening requests are pending: the daemon then answers those. */
  #endIfQuiet(): void {
    if (!this.#isDraining || !this.#pending.all().every(({ method }) => method === LISTEN)) return;
    if (this.#pending.size === 0) this.stop();
    else for (const line of this.#lines) line.stream.end();
  }

  #use(line: DaemonConnection): void {
    this.#lines.add(line);
    line.listen({
      answer: (id, bytes) => this.#answered(line, id, bytes),
      message: (bytes) => this.#fromDaemon(line, bytes),
      closed: () => this.#lost(line),
    });
  }

  #fromClient(line: Buffer): void {
    const read = readClientLine(line);
    if (read.kind === 'messages') for (const { message, bytes } of read.messages) this.#one(message, bytes);
    // Send the error to the waiting peer: the client, or the daemon whose request this line answers.
    else if (!read.isAnswer) this.#client.refuse(JSON.stringify(read.id ?? null), read.fault);
    else if (!this.#questions.answer({ id: read.id, error: read.fault })) this.#client.refuse('null', read.fault);
  }

  #one(message: unknown, bytes: Buffer): void {
    if (!isObject(message) || typeof message.method !== 'string') {
      if (isObject(message) && ('result' in message || 'error' in message))
        this.#questions.answer(isDeeperThan(bytes, MAX_ANSWER_DEPTH) ? { id: message.id, error: TOO_DEEP } : message);
      else this.#send(bytes); // invalid: the daemon reports the error
      return;
    }
    const { method } = message;
    const params = isObject(message.params) ? message.params : {};
    if (message.id === undefined) {
      this.#state.notified(method);
      if (method === CANCELLED) this.#cancel(params, bytes);
      else this.#send(bytes);
      return;
    }
    const id = readId(message.id);
    if (id === undefined || this.#isDraining) {
      this.#client.refuse(JSON.stringify(id ?? null), id === undefined ? NO_ID : ENDING);
      return;
    }
    this.#state.asked(JSON.stringify(id), method, params);
    const tool = typeof params.name === 'string' ? { tool: params.name } : {};
    this.#pending.begin({ id: JSON.stringify(id), method, ...tool, bytes, line: this.#line });
    if (this.#line) this.#send(bytes);
    else if (!this.#isSearching) void this.#reconnect();
  }

  /** Forwards a cancellation to the daemon that has the request. A request that was not sent yet is only removed. */
  #cancel({ requestId }: Readonly<Record<string, unknown>>, bytes: Buffer): void {
    const request = this.#pending.of(JSON.stringify(requestId ?? null));
    if (!request) return;
    request.line?.send(bytes);
    // A cancelled request may never be answered, so it is no longer pending.
    this.#pending.forget(request.id);
    this.#endIfQuiet();
  }

  #send(bytes: Buffer): void {
    if (!this.#line) {
      if (this.#isSearching && this.#held.length < MAX_HELD) this.#held.push(bytes);
      return;
    }
    const { input } = this.#options;
    // If the input is already paused, the code that paused it resumes it.
    if (this.#line.send(bytes) || input.isPaused()) return;
    input.pause();
    this.#resumeAfter(this.#line);
  }

  /** Resumes the client's input when this connection has drained or closed. */
  #resumeAfter(line: DaemonConnection): void {
    const { stream } = line;
    const go = () => {
      stream.off('drain', go).off('close', go);
      // During a reconnection, or if the pipe uses another connection by now, that one resumes the input.
      if (!this.#isSearching && (this.#line === line || !this.#line)) this.#options.input.resume();
    };
    stream.on('drain', go).on('close', go);
  }

  #answered(line: DaemonConnection, id: string, bytes: Buffer): void {
    this.#state.answered(id, this.#pending.of(id)?.method, bytes);
    if (this.#pending.end(id, line)) this.#client.write(bytes, line);
    this.#endIfQuiet();
  }

  #fromDaemon(line: DaemonConnection, bytes: Buffer): void {
    const message = parsed(bytes);
    if (!isObject(message)) return;
    const { id, method } = message;
    if (typeof method !== 'string') {
      if (id === undefined || id === null) this.#client.write(bytes, line);
      else this.#answered(line, JSON.stringify(id), bytes);
    } else if (id !== undefined) {
      // A daemon only checks that this process is alive; the client need not answer.
      if (method === 'ping') line.tell({ id, result: {} });
      else this.#client.write(Buffer.from(JSON.stringify({ ...message, id: this.#questions.put(line, id) })), line);
    } else if (method === LEAVING) this.#leave(line);
    else if (method === CANCELLED) {
      const params = this.#questions.cancelled(line, message.params);
      if (params) this.#client.write(Buffer.from(JSON.stringify({ ...message, params })), line);
    } else this.#client.write(bytes, line);
  }

  #refuseAll(requests: readonly PendingRequest[], fault: RpcFault): void {
    for (const { id } of requests) {
      this.#pending.forget(id);
      this.#client.refuse(id, fault);
    }
  }

  /** The daemon is leaving: it answers its pending requests, and new requests go to the next daemon. */
  #leave(line: DaemonConnection): void {
    line.isLeaving = true;
    line.tell({ method: LEFT });
    if (this.#line !== line) return;
    this.#line = undefined;
    this.#options.log('info', 'the daemon is shutting down');
    void this.#reconnect();
  }

  #lost(line: DaemonConnection): void {
    this.#lines.delete(line);
    for (const request of this.#pending.on(line)) {
      // After the client has disconnected nothing is repeated at another daemon; the request fails.
      if (isRepeatable(request, line.readOnlyTools) && !this.#isOver) request.line = undefined;
      else this.#refuseAll([request], LOST);
    }
    if (this.#isOver) this.#endIfDone();
    else if (this.#line !== line) this.#askAgain();
    else {
      this.#line = undefined;
      this.#options.log('warn', 'the connection to the daemon was lost');
      void this.#reconnect();
    }
  }

  async #reconnect(): Promise<void> {
    const { input } = this.#options;
    this.#isSearching = true;
    input.pause();
    const line = await this.#next();
    this.#isSearching = false;
    this.#isLate = line === undefined;
    this.#line = line;
    if (!line) return this.#giveUp();
    // Listening requests move from the leaving daemon to this one.
    for (const old of this.#lines)
      for (const request of old === line ? [] : this.#pending.on(old))
        if (request.method === LISTEN) request.line = undefined;
    this.#askAgain();
    for (const bytes of this.#held.splice(0)) this.#send(bytes);
    if (this.#isOver) line.stream.end();
    else if (line.stream.writableNeedDrain) this.#resumeAfter(line);
    else input.resume();
  }

  /** Connects to another daemon and restores the client's state there. */
  async #next(): Promise<DaemonConnection | undefined> {
    const { again, log } = this.#options;
    for (let attempt = 0; attempt < MAX_RESTORES && !this.#isOver; attempt += 1) {
      const line = await again({ isStopped: () => this.#isOver, isLate: this.#isLate, hasLost: this.#state.hasKept });
      if (!line) return undefined;
      this.#use(line);
      try {
        await this.#state.restore(line, { client: this.#client, log });
        if (!line.isLeaving && !line.stream.destroyed) return line;
      } catch (error) {
        log('warn', 'cannot restore client state', { error: error instanceof Error ? error.message : String(error) });
        line.stream.destroy();
      }
    }
    return undefined;
  }

  #askAgain(): void {
    const unasked = this.#pending.unasked();
    if (!this.#line) {
      // The last search may have ended while a leaving daemon still had these requests.
      if (unasked.length > 0 && !this.#isSearching) void this.#reconnect();
      return;
    }
    for (const request of unasked) {
      request.line = this.#line;
      this.#line.send(request.bytes);
    }
  }

  /** Fails all requests that were not sent. The next request starts another search. */
  #giveUp(): void {
    this.#held = [];
    this.#refuseAll(this.#pending.unasked(), NO_GATEWAY);
    if (this.#isOver) this.#endIfDone();
    else this.#options.input.resume();
  }
}
