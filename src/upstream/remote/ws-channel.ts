import type { WebSocket } from 'ws';
import { cleanText, writeJson } from '../../base/index.js';
import {
  type Channel,
  type ChannelListener,
  type Id,
  largeMessage,
  type Outgoing,
  parseLine,
  type StreamLimits,
  toObject,
} from '../../rpc/index.js';
import type { HeaderFields } from './header-rules.js';
import { PreOpenQueue } from './pre-open-queue.js';
import { HttpStatusError, remoteFailure } from './remote-failure.js';
import { serverLookup } from './remote-fetch.js';
import { failureContext, type RemoteTarget } from './remote-target.js';

const SUBPROTOCOL = 'mcp';
const HANDSHAKE_MS = 15_000;
/** Messages up to this multiple of the limit are read, to find the id of their request. */
const READ_TIMES = 4;
const PING_MS = 30_000;
/** Timeout for the close handshake. */
const CLOSE_LIMIT_MS = 1_000;
const SHOWN_CHARACTERS = 123;

const CLOSINGS: Readonly<Record<number, string>> = {
  1000: 'it closed the connection',
  1001: 'it is shutting down',
  1002: 'it reported a protocol error',
  1003: 'it does not accept this type of message',
  1005: 'it closed the connection',
  1006: 'the connection was lost',
  1007: 'it could not read a message',
  1008: 'it refused the connection by its policy',
  1009: 'a message was too large for it',
  1011: 'it had an internal error',
  1012: 'it is being restarted',
  1013: 'it is overloaded',
};

export interface WsTimes {
  readonly pingMs?: number;
}

/** A WebSocket with the package `ws`, which is a lazy import. */
export async function openWsChannel(
  target: RemoteTarget,
  limits: () => StreamLimits,
  { pingMs = PING_MS }: WsTimes = {},
): Promise<Channel> {
  const { WebSocket: Socket } = await import('ws');
  const { maxLineBytes } = limits();
  const connect = (protocols: readonly string[]): WebSocket =>
    new Socket(socketUrl(target.url), [...protocols], {
      headers: { ...target.headers.current },
      lookup: serverLookup(target.url, target.url, target.lookup),
      followRedirects: false,
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: READ_TIMES * maxLineBytes,
      // Compressed messages could exceed the limit a thousandfold before they are counted.
      perMessageDeflate: false,
    });
  return new WsChannel(target, limits, connect, pingMs);
}

class WsChannel implements Channel {
  readonly #target: RemoteTarget;
  readonly #limits: () => StreamLimits;
  readonly #connect: (protocols: readonly string[]) => WebSocket;
  readonly #pingMs: number;
  readonly #early = new PreOpenQueue();
  readonly #waiting = new Set<Id>();
  #socket: WebSocket | undefined;
  #listener: ChannelListener | undefined;
  #isClosed = false;
  #isAlive = true;
  #pings: NodeJS.Timeout | undefined;

  constructor(
    target: RemoteTarget,
    limits: () => StreamLimits,
    connect: (protocols: readonly string[]) => WebSocket,
    pingMs: number,
  ) {
    this.#target = target;
    this.#limits = limits;
    this.#connect = connect;
    this.#pingMs = pingMs;
  }

  get backlogBytes(): number {
    return this.#socket?.bufferedAmount ?? 0;
  }

  start(listener: ChannelListener): void {
    this.#listener = listener;
    void this.#open([SUBPROTOCOL]);
  }

  send(message: Outgoing): void {
    if (message.kind === 'request') this.#waiting.add(message.id);
    const kept = this.#early.keep(message);
    if (kept === 'open') this.#write(message);
    else if (kept === 'full' && message.kind === 'request')
      this.#undelivered(message.id, new Error('too many messages were sent before the connection was open'));
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    const wasClosed = this.#isClosed;
    this.#end(undefined);
    if (!socket || wasClosed || socket.readyState === socket.CLOSED) return;
    const gone = new Promise((resolve) => socket.once('close', resolve));
    socket.close(1000);
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, CLOSE_LIMIT_MS).unref())]);
    socket.terminate();
  }

  /** Connects, and retries without subprotocol or with renewed headers if that was the reason of the refusal. */
  async #open(protocols: readonly string[], hasRenewed = false): Promise<void> {
    const sent = this.#target.headers.current;
    const outcome = await this.#handshake(protocols);
    if (this.#isClosed) this.#socket?.terminate();
    else if (outcome === 'open') this.#opened();
    else if (outcome === 'no-subprotocol') await this.#open([], hasRenewed);
    else if (await this.#canTryAgain(outcome, sent, hasRenewed)) await this.#open(protocols, true);
    else this.#end(await remoteFailure(outcome, failureContext(this.#target)));
  }

  async #canTryAgain(outcome: Error, sent: HeaderFields, hasRenewed: boolean): Promise<boolean> {
    if (hasRenewed || !(outcome instanceof HttpStatusError) || outcome.status !== 401) return false;
    try {
      return await this.#target.headers.renew(sent);
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  #handshake(protocols: readonly string[]): Promise<'open' | 'no-subprotocol' | Error> {
    const socket = this.#connect(protocols);
    this.#socket = socket;
    let hasNoSubprotocol = false;
    return new Promise((resolve) => {
      socket.once('upgrade', ({ headers }) => {
        hasNoSubprotocol = protocols.length > 0 && headers['sec-websocket-protocol'] === undefined;
      });
      socket.once('unexpected-response', (request, response) => {
        resolve(new HttpStatusError(response.statusCode ?? 0, ''));
        request.destroy();
      });
      socket.once('open', () => resolve('open'));
      // The package reports servers without subprotocol support as an error.
      socket.on('error', (error) => resolve(hasNoSubprotocol ? 'no-subprotocol' : error));
      this.#listen(socket);
    });
  }

  #listen(socket: WebSocket): void {
    socket.on('message', (data) => {
      this.#isAlive = true;
      if (Buffer.isBuffer(data)) this.#receive(data);
    });
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('ping', () => {
      this.#isAlive = true;
    });
    socket.on('error', (error) => {
      if (socket === this.#socket && 'code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
        this.#tooLarge();
    });
  }

  #opened(): void {
    const socket = this.#socket;
    socket?.once('close', (code, words) => this.#end(closing(code, words.toString())));
    if (socket?.readyState !== socket?.OPEN) {
      this.#end(closing(1006, ''));
      return;
    }
    this.#pings = setInterval(() => {
      if (!this.#isAlive) {
        this.#end(new Error('it stopped answering'));
        socket?.terminate();
        return;
      }
      this.#isAlive = false;
      socket?.ping();
    }, this.#pingMs).unref();
    this.#early.open((message) => this.#write(message));
  }

  #write(message: Outgoing): void {
    if (this.#isClosed) return;
    this.#socket?.send(writeJson(toObject(message)), (error) => {
      if (error && message.kind === 'request') this.#undelivered(message.id, new Error('the connection was lost'));
    });
  }

  #receive(data: Buffer): void {
    const { maxLineBytes, maxDepth } = this.#limits();
    if (data.length > maxLineBytes) {
      const about = largeMessage(data);
      if (about.id !== undefined && !about.isRequest) this.#waiting.delete(about.id);
      this.#listener?.overlong({ bytes: data.length, ...about });
      return;
    }
    for (const message of parseLine(data, maxDepth)) {
      if ((message.kind === 'result' || message.kind === 'fault') && message.id !== undefined)
        this.#waiting.delete(message.id);
      this.#listener?.message(message);
    }
  }

  /** The message was too large to read. If only one request is pending, it was its answer. */
  #tooLarge(): void {
    const bytes = READ_TIMES * this.#limits().maxLineBytes;
    const [id] = this.#waiting.size === 1 ? this.#waiting : [];
    if (id !== undefined) this.#listener?.overlong({ bytes, id });
    this.#end(new Error(`it sent a message of more than ${bytes} bytes`));
  }

  #undelivered(id: Id, reason: Error): void {
    this.#waiting.delete(id);
    this.#listener?.undelivered(id, reason);
  }

  #end(reason: Error | undefined): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#pings);
    this.#waiting.clear();
    this.#listener?.onClose(reason);
  }
}

function closing(code: number, words: string): Error {
  const { text } = cleanText(words, SHOWN_CHARACTERS);
  const meaning = CLOSINGS[code] ?? `it closed the connection with code ${code}`;
  return new Error(text === '' ? meaning : `${meaning}: ${text}`);
}

function socketUrl(url: URL): URL {
  return new URL(url.href.replace(/^http/, 'ws'));
}
