import { keepDigits } from '../../base/index.js';
import { MODERN_VERSION } from '../../model/index.js';
import { type Channel, type Id, type Outgoing, readMessage, type StreamLimits, toObject } from '../../rpc/index.js';
import { UnansweredError } from '../connection/unanswered-error.js';
import { type AnswerEvents, boundedFetch, type OversizedMessage } from './bounded-fetch.js';
import { HttpStatusError } from './remote-failure.js';
import { remoteFetch } from './remote-fetch.js';
import type { RemoteTarget } from './remote-target.js';
import { SdkHttpChannel, type SdkTransport } from './sdk-http-channel.js';

/** The part of the SDK transport that only Streamable HTTP has. */
interface HttpTransport extends SdkTransport {
  readonly sessionId: string | undefined;
  send(message: never, options: SendOptions): Promise<void>;
  terminateSession(): Promise<void>;
}

interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestSignal?: AbortSignal;
  readonly onRequestStreamEnd?: () => void;
}

const CLOSE_LIMIT_MS = 1_000;

/** Streamable HTTP with the SDK, which is a lazy import. */
export async function openHttpChannel(target: RemoteTarget, limits: () => StreamLimits): Promise<Channel> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { authProvider } = target;
  // The SDK handles access errors if there is an auth provider, and servers without a GET stream.
  const passes = (status: number, method: string) =>
    method !== 'POST' || (authProvider !== undefined && (status === 401 || status === 403));
  const remote = remoteFetch(target, passes);
  const channel = new HttpChannel(target, remote, limits);
  const transport = new StreamableHTTPClientTransport(target.url, {
    fetch: boundedFetch(remote.fetch, limits, channel),
    ...(authProvider && { authProvider }),
  });
  channel.use(transport);
  return channel;
}

class HttpChannel extends SdkHttpChannel<HttpTransport> implements AnswerEvents {
  readonly carriesHeaders = true;
  #version = '';
  /** Pending requests; aborting one frees its connection. */
  readonly #waiting = new Map<Id, AbortController>();
  /** Pending requests whose response is a single body, after which no answer can follow. */
  readonly #withoutStream = new Set<Id>();

  override overlong(one: OversizedMessage): void {
    if (one.id !== undefined && !one.isRequest) this.#waiting.delete(one.id);
    super.overlong(one);
  }

  begun(id: Id, isStream: boolean): void {
    if (isStream) this.#withoutStream.delete(id);
    else this.#withoutStream.add(id);
  }

  send(message: Outgoing): void {
    if (message.kind === 'request') this.#request(message);
    else if (!this.#abortRequest(message)) this.transport?.send(toObject(message) as never, {}).catch(() => undefined);
  }

  override setRevision(version: string): void {
    this.#version = version;
    super.setRevision(version);
  }

  async close(): Promise<void> {
    if (!this.end(undefined)) return;
    const closing = this.transport?.terminateSession().catch(() => undefined);
    await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, CLOSE_LIMIT_MS).unref())]);
    await this.closeTransport();
  }

  protected open(transport: HttpTransport): void {
    transport.onclose = () => this.end(undefined);
    // `send` reports errors of single requests, and the SDK reopens a broken stream.
    transport.onerror = () => undefined;
    transport.start().catch((error: Error) => this.end(error));
  }

  protected override answered(id: Id): void {
    this.#waiting.delete(id);
  }

  protected override end(reason: Error | undefined): boolean {
    if (!this.isClosed) this.#waiting.clear();
    return super.end(reason);
  }

  #request(message: Extract<Outgoing, { kind: 'request' }>): void {
    const { id } = message;
    const controller = new AbortController();
    this.#waiting.set(id, controller);
    const onRequestStreamEnd = () => {
      if (this.#waiting.delete(id)) this.listener?.undelivered(id, new Error('its answer ended unexpectedly'));
    };
    this.transport
      ?.send(keepDigits(toObject(message)) as never, {
        requestSignal: controller.signal,
        onRequestStreamEnd,
        ...(message.headers && { headers: message.headers }),
      })
      .then(() => this.#sent(id))
      .catch((error: unknown) => this.#failed(id, error));
  }

  /** The body was read: fail the request if it contained no answer to it. */
  #sent(id: Id): void {
    if (this.#withoutStream.delete(id) && this.#waiting.delete(id))
      this.listener?.undelivered(id, new UnansweredError());
  }

  async #failed(id: Id, error: unknown): Promise<void> {
    this.#withoutStream.delete(id);
    if (!this.#waiting.delete(id)) return; // answered, oversized or cancelled
    const fault = error instanceof HttpStatusError ? faultIn(error, id) : undefined;
    if (fault) this.listener?.message(fault);
    else this.listener?.undelivered(id, await this.failure(error));
    // The server no longer knows the session: close, so that the pool opens a new one.
    if (error instanceof HttpStatusError && error.status === 404 && this.transport?.sessionId !== undefined) {
      this.end(new Error('the server no longer knows the session'));
      await this.closeTransport();
    }
  }

  /** Aborts the HTTP request of a cancelled call. For a stateless server, this is the cancellation. */
  #abortRequest(message: Outgoing): boolean {
    if (message.kind !== 'notification' || message.method !== 'notifications/cancelled') return false;
    const id = message.params?.requestId;
    if (typeof id !== 'string' && typeof id !== 'number') return false;
    const controller = this.#waiting.get(id);
    this.#waiting.delete(id);
    controller?.abort();
    return controller !== undefined && this.#version >= MODERN_VERSION;
  }
}

/** Some servers send a JSON-RPC error as the body of an HTTP error. */
function faultIn({ status, body }: HttpStatusError, id: Id) {
  if (status === 401 || status === 403) return undefined;
  try {
    const message = readMessage(JSON.parse(body));
    return message.kind === 'fault' && message.id === id ? message : undefined;
  } catch {
    return undefined; // not JSON, such as an HTML page
  }
}
