import {
  type Channel,
  type ChannelListener,
  isValueDeeperThan,
  type Outgoing,
  readMessage,
  type StreamLimits,
  toObject,
} from '../base/index.js';

/** The part of an SDK transport that is used here. */
interface SdkTransport {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  start(): Promise<void>;
  send(message: never): Promise<void>;
  close(): Promise<void>;
  terminateSession(): Promise<void>;
  setProtocolVersion(version: string): void;
}

const FAREWELL_MS = 1_000;
const END_OF_EVENT_BYTES = 4;

export interface HttpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Streamable HTTP by the SDK, which is loaded with the first server that needs it. */
export async function openHttpChannel(target: HttpTarget, limits: () => StreamLimits): Promise<Channel> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const channel = new HttpChannel(limits);
  const transport = new StreamableHTTPClientTransport(new URL(target.url), {
    requestInit: { headers: target.headers },
    fetch: boundedFetch(limits, (line) => channel.overlong(line)),
  });
  channel.use(transport as unknown as SdkTransport);
  return channel;
}

class HttpChannel implements Channel {
  readonly backlogBytes = 0;
  #transport: SdkTransport | undefined;
  #listener: ChannelListener | undefined;
  #closed = false;
  readonly #limits: () => StreamLimits;

  constructor(limits: () => StreamLimits) {
    this.#limits = limits;
  }

  use(transport: SdkTransport): void {
    this.#transport = transport;
  }

  overlong(line: { readonly bytes: number; readonly id: string | number | undefined }): void {
    this.#listener?.overlong(line);
  }

  start(listener: ChannelListener): void {
    this.#listener = listener;
    const transport = this.#transport;
    if (!transport) throw new Error('the channel has no transport');
    transport.onmessage = (message: unknown) => this.#receive(message, listener);
    transport.onclose = () => this.#end(undefined);
    // Faults of single requests come back from `send`; a stream that breaks is opened again by the SDK.
    transport.onerror = () => undefined;
    transport.start().catch((error: Error) => this.#end(error));
  }

  send(message: Outgoing): void {
    const sent = this.#transport?.send(toObject(message) as never);
    sent?.catch((error: unknown) => {
      const reason = error instanceof Error ? error : new Error(String(error));
      if (message.kind === 'request') this.#listener?.undelivered(message.id, plainly(reason));
    });
  }

  agreed(version: string): void {
    this.#transport?.setProtocolVersion(version);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#end(undefined);
    const farewell = this.#transport?.terminateSession().catch(() => undefined);
    await Promise.race([farewell, new Promise((resolve) => setTimeout(resolve, FAREWELL_MS).unref())]);
    await this.#transport?.close();
  }

  /** What nests too deep cannot be written again; who waits for it is told that nothing usable came. */
  #receive(message: unknown, listener: ChannelListener): void {
    const read = readMessage(message);
    if (!isValueDeeperThan(message, this.#limits().maxDepth)) listener.message(read);
    else if (read.kind === 'result') listener.undelivered(read.id, new Error('its answer nests too deep'));
  }

  #end(reason: Error | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#listener?.closed(reason);
  }
}

/** The cause of a failed `fetch` says what happened; its own message does not. */
function plainly(error: Error): Error {
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  return code === undefined ? error : new Error(`the server could not be reached (${code})`, { cause: error });
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Reads no more of an answer than may be kept: a JSON body, or one event of a stream. */
function boundedFetch(
  limits: () => StreamLimits,
  overlong: (line: { readonly bytes: number; readonly id: string | number | undefined }) => void,
): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
    const { maxLineBytes } = limits();
    let bytes = 0;
    let before: Buffer = Buffer.alloc(0);
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          const part = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
          // The end of an event may come in two pieces.
          const seen = isStream ? Buffer.concat([before, part]) : part;
          before = seen.subarray(1 - END_OF_EVENT_BYTES);
          const lastEnd = isStream ? Math.max(seen.lastIndexOf('\n\n'), seen.lastIndexOf('\r\n\r\n')) : -1;
          bytes = lastEnd < 0 ? bytes + part.length : Math.min(part.length, seen.length - lastEnd);
          if (bytes <= maxLineBytes) return controller.enqueue(chunk);
          overlong({ bytes, id: requestId(init?.body) });
          controller.terminate();
        },
      }),
    );
    return new Response(bounded, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}

/** The id of the request that this body is, so that its caller learns that the answer was too large. */
function requestId(body: unknown): string | number | undefined {
  if (typeof body !== 'string') return undefined;
  const message = readMessage(JSON.parse(body));
  return message.kind === 'request' ? message.id : undefined;
}
