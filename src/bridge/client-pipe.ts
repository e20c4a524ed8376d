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
import { CUT_OFF, ENDING, LOST, MAX_ANSWER_DEPTH, NO_GATEWAY, TOO_DEEP } from './rpc-faults.js';

/** A daemon that is lost while it is told about the client is followed by another, but not for ever. */
const MAX_RESTORES = 5;
/** Messages that are no requests, for a daemon that comes back. */
const MAX_HELD = 1_000;
const LEAVING = 'notifications/bridge/leaving';
const LEFT = 'notifications/bridge/left';
const CANCELLED = 'notifications/cancelled';

/** A client's stdin and stdout at one end, a daemon at the other; which one that is changes without the client's noticing. */
export class Pipe {
  readonly #options: PipeOptions;
  readonly #client: ClientOutput;
  readonly #ledger = new PendingRequests();
  readonly #state = new ClientState();
  readonly #questions = new DaemonQuestions();
  readonly #lines = new Set<DaemonConnection>();
  /** Messages that are no requests and came while nobody was there to take them. */
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

  /** Settles when the client has left. Without a line each request is a reason to look for one. */
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
        // An answer is not answered: its number may be that of a request of the client, too.
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

  /** Takes no new request, lets the open ones end for a while, then hangs up: as a gateway does that is told to end. */
  drain(limitMs: number): void {
    this.#isOver = true;
    this.#isDraining = true;
    setTimeout(() => {
      this.#refuseAll(this.#ledger.all(), CUT_OFF);
      this.stop();
    }, limitMs).unref();
    this.#endIfQuiet();
  }

  /** Hangs up, whatever is under way. */
  stop(): void {
    this.#isOver = true;
    for (const line of this.#lines) line.stream.destroy();
    this.#end();
  }

  /** What was asked is still answered. */
  #clientLeft(): void {
    this.#isOver = true;
    for (const line of this.#lines) line.stream.end();
    this.#endIfDone();
  }

  /** The client has left, and nobody is there or will be who could still answer it. */
  #endIfDone(): void {
    if (this.#lines.size === 0 && !this.#isSearching) this.#end();
  }

  /** We were told to end, and who still waits only listens, which ends when nothing more is asked. */
  #endIfQuiet(): void {
    if (!this.#isDraining || !this.#ledger.all().every(({ method }) => method === LISTEN)) return;
    if (this.#ledger.size === 0) this.stop();
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
    // Who waits for it learns why it does not come: the client, or the daemon whose question this answers.
    else if (!read.isAnswer) this.#client.refuse(JSON.stringify(read.id ?? null), read.fault);
    else if (!this.#questions.answer({ id: read.id, error: read.fault })) this.#client.refuse('null', read.fault);
  }

  #one(message: unknown, bytes: Buffer): void {
    if (!isObject(message) || typeof message.method !== 'string') {
      if (isObject(message) && ('result' in message || 'error' in message))
        this.#questions.answer(isDeeperThan(bytes, MAX_ANSWER_DEPTH) ? { id: message.id, error: TOO_DEEP } : message);
      else this.#send(bytes); // no message at all: the daemon says so in its own words
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
    const mayRepeat = isRepeatable(method, params, this.#options.hasOwnTools);
    this.#ledger.begin({ id: JSON.stringify(id), method, bytes, mayRepeat, line: this.#line });
    if (this.#line) this.#send(bytes);
    else if (!this.#isSearching) void this.#reconnect();
  }

  /** Goes to where the request went. One that nobody has been asked yet is forgotten. */
  #cancel({ requestId }: Readonly<Record<string, unknown>>, bytes: Buffer): void {
    const flight = this.#ledger.of(JSON.stringify(requestId ?? null));
    if (!flight) return;
    flight.line?.send(bytes);
    // Nobody waits for the answer, which may not come.
    this.#ledger.forget(flight.id);
    this.#endIfQuiet();
  }

  #send(bytes: Buffer): void {
    if (!this.#line) {
      if (this.#isSearching && this.#held.length < MAX_HELD) this.#held.push(bytes);
      return;
    }
    const { input } = this.#options;
    // Whoever paused it lets it go on.
    if (this.#line.send(bytes) || input.isPaused()) return;
    input.pause();
    this.#resumeAfter(this.#line);
  }

  /** The client is heard again when this line has taken what it was given, or is gone. */
  #resumeAfter(line: DaemonConnection): void {
    const { stream } = line;
    const go = () => {
      stream.off('drain', go).off('close', go);
      // During a search, and at another line by now, it is for that one to say.
      if (!this.#isSearching && (this.#line === line || !this.#line)) this.#options.input.resume();
    };
    stream.on('drain', go).on('close', go);
  }

  #answered(line: DaemonConnection, id: string, bytes: Buffer): void {
    this.#state.answered(id, this.#ledger.of(id)?.method, bytes);
    if (this.#ledger.end(id, line)) this.#client.write(bytes, line);
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
      // Whether this process is there is all that a daemon wants to know; the client may sleep.
      if (method === 'ping') line.tell({ id, result: {} });
      else this.#client.write(Buffer.from(JSON.stringify({ ...message, id: this.#questions.put(line, id) })), line);
    } else if (method === LEAVING) this.#leave(line);
    else if (method === CANCELLED) {
      const params = this.#questions.cancelled(line, message.params);
      if (params) this.#client.write(Buffer.from(JSON.stringify({ ...message, params })), line);
    } else this.#client.write(bytes, line);
  }

  #refuseAll(flights: readonly PendingRequest[], fault: RpcFault): void {
    for (const { id } of flights) {
      this.#ledger.forget(id);
      this.#client.refuse(id, fault);
    }
  }

  /** The daemon makes room for another: what it was asked is answered, and the next request is the next one's. */
  #leave(line: DaemonConnection): void {
    line.isLeaving = true;
    line.tell({ method: LEFT });
    if (this.#line !== line) return;
    this.#line = undefined;
    this.#options.log('info', 'the daemon leaves');
    void this.#reconnect();
  }

  #lost(line: DaemonConnection): void {
    this.#lines.delete(line);
    for (const flight of this.#ledger.on(line)) {
      // A client that has left is not followed to the next daemon: it learns that no answer comes.
      if (flight.mayRepeat && !this.#isOver) flight.line = undefined;
      else this.#refuseAll([flight], LOST);
    }
    if (this.#isOver) this.#endIfDone();
    else if (this.#line !== line) this.#askAgain();
    else {
      this.#line = undefined;
      this.#options.log('warn', 'the daemon is gone');
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
    // Those that listened at the one that leaves listen here.
    for (const old of this.#lines)
      for (const flight of old === line ? [] : this.#ledger.on(old))
        if (flight.method === LISTEN) flight.line = undefined;
    this.#askAgain();
    for (const bytes of this.#held.splice(0)) this.#send(bytes);
    if (this.#isOver) line.stream.end();
    else if (line.stream.writableNeedDrain) this.#resumeAfter(line);
    else input.resume();
  }

  /** A daemon that knows all that the last one knew of the client. */
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
        log('warn', 'the daemon was lost again', { error: error instanceof Error ? error.message : String(error) });
        line.stream.destroy();
      }
    }
    return undefined;
  }

  #askAgain(): void {
    const unasked = this.#ledger.unasked();
    if (!this.#line) {
      // The last search may have been given up while these still had somebody to answer them.
      if (unasked.length > 0 && !this.#isSearching) void this.#reconnect();
      return;
    }
    for (const flight of unasked) {
      flight.line = this.#line;
      this.#line.send(flight.bytes);
    }
  }

  /** Whoever waits learns it, and so does whoever asks next, unless there is a daemon again by then. */
  #giveUp(): void {
    this.#held = [];
    this.#refuseAll(this.#ledger.unasked(), NO_GATEWAY);
    if (this.#isOver) this.#endIfDone();
    else this.#options.input.resume();
  }
}
