import { isValueDeeperThan, keepDigits } from '../../base/index.js';
import { MODERN_VERSION } from '../../model/index.js';
import {
  type Channel,
  type ChannelListener,
  type Id,
  type Outgoing,
  readMessage,
  type StreamLimits,
  toObject,
} from '../../rpc/index.js';
import { UnansweredError } from '../connection/unanswered-error.js';
import { type AnswerEvents, boundedFetch, type OversizedMessage } from './bounded-fetch.js';
import { HttpStatusError, remoteFailure } from './remote-failure.js';
import { type RemoteFetch, remoteFetch } from './remote-fetch.js';
import { failureContext, type RemoteTarget } from './remote-target.js';

/** The part of the SDK's transport that is used here. */
interface SdkTransport {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly sessionId: string | undefined;
  start(): Promise<void>;
  send(message: never, options: SendOptions): Promise<void>;
  close(): Promise<void>;
  terminateSession(): Promise<void>;
  setProtocolVersion(version: string): void;
}

interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestSignal?: AbortSignal;
  readonly onRequestStreamEnd?: () => void;
}

const FAREWELL_MS = 1_000;

/** Streamable HTTP by the SDK, which is loaded with the first server that needs it. */
export async function openHttpChannel(target: RemoteTarget, limits: () => StreamLimits): Promise<Channel> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { authProvider } = target;
  // The SDK knows what to do about a refusal if there is somebody who can sign in, and about a stream that is not offered.
  const passes = (status: number, method: string) =>
    method !== 'POST' || (authProvider !== undefined && (status === 401 || status === 403));
  const remote = remoteFetch(target, passes);
  const channel = new HttpChannel(target, remote, limits);
  const transport = new StreamableHTTPClientTransport(target.url, {
    fetch: boundedFetch(remote.fetch, limits, channel),
    ...(authProvider && { authProvider }),
  });
  channel.use(transport as unknown as SdkTransport);
  return channel;
}

class HttpChannel implements Channel, AnswerEvents {
  readonly backlogBytes = 0;
  readonly carriesHeaders = true;
  #transport: SdkTransport | undefined;
  #listener: ChannelListener | undefined;
  #closed = false;
  #version = '';
  readonly #target: RemoteTarget;
  readonly #remote: RemoteFetch;
  readonly #limits: () => StreamLimits;
  /** Requests that wait for their answer; whoever gives one up frees its connection. */
  readonly #waiting = new Map<Id, AbortController>();
  /** Those of them for which nothing comes but the body that is being read. */
  readonly #withoutStream = new Set<Id>();

  constructor(target: RemoteTarget, remote: RemoteFetch, limits: () => StreamLimits) {
    this.#target = target;
    this.#remote = remote;
    this.#limits = limits;
  }

  use(transport: SdkTransport): void {
    this.#transport = transport;
  }

  overlong(one: OversizedMessage): void {
    if (one.id !== undefined && !one.isRequest) this.#waiting.delete(one.id);
    this.#listener?.overlong(one);
  }

  begun(id: Id, isStream: boolean): void {
    if (isStream) this.#withoutStream.delete(id);
    else this.#withoutStream.add(id);
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
    if (message.kind === 'request') this.#request(message);
    else if (!this.#hangUp(message)) this.#transport?.send(toObject(message) as never, {}).catch(() => undefined);
  }

  agreed(version: string): void {
    this.#version = version;
    this.#transport?.setProtocolVersion(version);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#end(undefined);
    const farewell = this.#transport?.terminateSession().catch(() => undefined);
    await Promise.race([farewell, new Promise((resolve) => setTimeout(resolve, FAREWELL_MS).unref())]);
    await this.#transport?.close();
    this.#remote[Symbol.dispose]();
  }

  #request(message: Extract<Outgoing, { kind: 'request' }>): void {
    const { id } = message;
    const controller = new AbortController();
    this.#waiting.set(id, controller);
    const onRequestStreamEnd = () => {
      if (this.#waiting.delete(id)) this.#listener?.undelivered(id, new Error('its answer broke off'));
    };
    this.#transport
      ?.send(keepDigits(toObject(message)) as never, {
        requestSignal: controller.signal,
        onRequestStreamEnd,
        ...(message.headers && { headers: message.headers }),
      })
      .then(() => this.#sent(id))
      .catch((error: unknown) => this.#failed(id, error));
  }

  /** Some take a request and say nothing to it, or something that is for nobody. */
  #sent(id: Id): void {
    if (this.#withoutStream.delete(id) && this.#waiting.delete(id))
      this.#listener?.undelivered(id, new UnansweredError());
  }

  async #failed(id: Id, error: unknown): Promise<void> {
    this.#withoutStream.delete(id);
    if (!this.#waiting.delete(id)) return; // answered, too large or given up
    const fault = error instanceof HttpStatusError ? faultIn(error, id) : undefined;
    if (fault) this.#listener?.message(fault);
    else this.#listener?.undelivered(id, await remoteFailure(error, failureContext(this.#target)));
    // A session that the server forgot has to be begun anew, which whoever opened this one will do.
    if (error instanceof HttpStatusError && error.status === 404 && this.#transport?.sessionId !== undefined) {
      this.#end(new Error('the server has forgotten the session'));
      await this.#transport.close();
      this.#remote[Symbol.dispose]();
    }
  }

  /** A request that is given up is not read any further. A server without sessions learns of it by that alone. */
  #hangUp(message: Outgoing): boolean {
    if (message.kind !== 'notification' || message.method !== 'notifications/cancelled') return false;
    const id = message.params?.requestId;
    if (typeof id !== 'string' && typeof id !== 'number') return false;
    const controller = this.#waiting.get(id);
    this.#waiting.delete(id);
    controller?.abort();
    return controller !== undefined && this.#version >= MODERN_VERSION;
  }

  /** What nests too deep cannot be written again; who waits for it is told that nothing usable came. */
  #receive(message: unknown, listener: ChannelListener): void {
    const read = readMessage(message);
    if ((read.kind === 'result' || read.kind === 'fault') && read.id !== undefined) this.#waiting.delete(read.id);
    if (!isValueDeeperThan(message, this.#limits().maxDepth)) listener.message(read);
    else if ((read.kind === 'result' || read.kind === 'fault') && read.id !== undefined)
      listener.undelivered(read.id, new Error('its answer nests too deep'));
  }

  #end(reason: Error | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#waiting.clear();
    this.#listener?.onClose(reason);
  }
}

/** Some say what is wrong in the protocol's own words, and with a status that says the same. */
function faultIn({ status, body }: HttpStatusError, id: Id) {
  if (status === 401 || status === 403) return undefined;
  try {
    const message = readMessage(JSON.parse(body));
    return message.kind === 'fault' && message.id === id ? message : undefined;
  } catch {
    return undefined; // a page, or half of one
  }
}
