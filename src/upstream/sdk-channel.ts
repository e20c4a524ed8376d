import { ErrorCode, PortolanError, writeJson } from '../base/index.js';
import {
  type Channel,
  type ChannelListener,
  largeMessage,
  type Outgoing,
  parseLine,
  type StreamLimits,
  toObject,
} from '../rpc/index.js';

/** The transport that the SDK server gets. */
interface SdkServerTransport {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
}

/** A server inside the program that uses the library: any object that connects to a transport of the official SDK. */
interface SdkServer {
  /** `never`, because each version of the SDK has its own type. */
  connect(transport: never): Promise<unknown>;
  close?(): Promise<unknown>;
}

export type SdkServerFactory = () => SdkServer | Promise<SdkServer>;

const CONNECT_MS = 30_000;
const CLOSE_LIMIT_MS = 1_000;

/** Creates the server and connects to it in process. Messages are serialised, so that neither side shares objects with the other. */
export async function openSdkChannel(factory: SdkServerFactory, limits: () => StreamLimits): Promise<Channel> {
  const link = new Link();
  const connected = (async () => {
    const server = await factory();
    await server.connect(link.serverSide as never);
    return server;
  })();
  try {
    return new SdkChannel(await within(CONNECT_MS, connected), link, limits);
  } catch (error) {
    // Close the server if it connects after the timeout.
    void connected.then((server) => server.close?.()).catch(() => undefined);
    throw new PortolanError(ErrorCode.ConnectionError, 'its program failed to create it', { cause: error });
  }
}

/** A pair of in-process endpoints. Messages sent before the server listens are queued. */
class Link {
  /** Called with JSON. */
  onText: ((text: string) => void) | undefined;
  onClose: (() => void) | undefined;
  #isClosed = false;
  #queued: string[] | undefined = [];
  readonly serverSide: SdkServerTransport = {
    start: async () => {
      const queued = this.#queued ?? [];
      this.#queued = undefined;
      for (const text of queued) this.#receive(text);
    },
    send: async (message) => {
      if (this.#isClosed) throw new Error('the connection is closed');
      this.onText?.(JSON.stringify(message));
    },
    close: async () => this.close(),
  };

  send(text: string): void {
    if (this.#isClosed) return;
    if (this.#queued) this.#queued.push(text);
    else this.#receive(text);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.serverSide.onclose?.();
    this.onClose?.();
  }

  #receive(text: string): void {
    // Asynchronous like a real transport: no response during `send`.
    queueMicrotask(() => this.serverSide.onmessage?.(JSON.parse(text) as never));
  }
}

class SdkChannel implements Channel {
  readonly backlogBytes = 0;
  readonly isInProcess = true;
  readonly #server: SdkServer;
  readonly #link: Link;
  readonly #limits: () => StreamLimits;

  constructor(server: SdkServer, link: Link, limits: () => StreamLimits) {
    this.#server = server;
    this.#link = link;
    this.#limits = limits;
  }

  start(listener: ChannelListener): void {
    this.#link.onText = (text) => this.#receive(Buffer.from(text), listener);
    this.#link.onClose = () => listener.onClose(undefined);
  }

  send(message: Outgoing): void {
    this.#link.send(writeJson(toObject(message)));
  }

  async close(): Promise<void> {
    const closed = Promise.resolve(this.#server.close?.()).catch(() => undefined);
    await within(CLOSE_LIMIT_MS, closed).catch(() => undefined);
    this.#link.close();
  }

  #receive(line: Buffer, listener: ChannelListener): void {
    const { maxLineBytes, maxDepth } = this.#limits();
    if (line.length > maxLineBytes) listener.overlong({ bytes: line.length, ...largeMessage(line) });
    else for (const message of parseLine(line, maxDepth)) listener.message(message);
  }
}

async function within<T>(limitMs: number, wanted: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${limitMs / 1_000} s`)), limitMs);
  });
  return Promise.race([wanted, timedOut]).finally(() => clearTimeout(timer));
}
