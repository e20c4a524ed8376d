import { isValueDeeperThan, keepDigits } from '../../base/index.js';
import {
  type Channel,
  type ChannelListener,
  type Outgoing,
  readMessage,
  type StreamLimits,
  toObject,
} from '../../rpc/index.js';
import { boundedFetch, type OversizedMessage } from './bounded-fetch.js';
import { PreOpenQueue } from './pre-open-queue.js';
import { remoteFailure } from './remote-failure.js';
import { type Fetch, type RemoteFetch, remoteFetch } from './remote-fetch.js';
import { failureContext, type RemoteTarget } from './remote-target.js';

/** The part of the SDK transport that is used here. */
interface SdkTransport {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  start(): Promise<void>;
  send(message: never): Promise<void>;
  close(): Promise<void>;
  setProtocolVersion(version: string): void;
}

/** Timeout for the `endpoint` event. */
const OPEN_MS = 30_000;

/** HTTP+SSE, the transport before Streamable HTTP, with the SDK. */
export async function openSseChannel(target: RemoteTarget, limits: () => StreamLimits): Promise<Channel> {
  const { SSEClientTransport, SseError } = await import('@modelcontextprotocol/client');
  const { authProvider } = target;
  const remote = remoteFetch(target, (status) => authProvider !== undefined && status === 401);
  const channel = new SseChannel(target, remote, limits, (error) => error instanceof SseError);
  const bounded = boundedFetch(remote.fetch, limits, channel);
  const transport = new SSEClientTransport(target.url, {
    fetch: channel.watched(bounded),
    ...(authProvider && { authProvider }),
  });
  channel.use(transport as unknown as SdkTransport);
  return channel;
}

class SseChannel implements Channel {
  readonly backlogBytes = 0;
  readonly #target: RemoteTarget;
  readonly #remote: RemoteFetch;
  readonly #limits: () => StreamLimits;
  readonly #isOfStream: (error: Error) => boolean;
  readonly #early = new PreOpenQueue();
  #transport: SdkTransport | undefined;
  #listener: ChannelListener | undefined;
  #fault: unknown;
  #closed = false;

  constructor(
    target: RemoteTarget,
    remote: RemoteFetch,
    limits: () => StreamLimits,
    isOfStream: (error: Error) => boolean,
  ) {
    this.#target = target;
    this.#remote = remote;
    this.#limits = limits;
    this.#isOfStream = isOfStream;
  }

  use(transport: SdkTransport): void {
    this.#transport = transport;
  }

  /** Keeps the error of a failed stream, because the SDK passes on only its message. */
  watched(fetch: Fetch): Fetch {
    return async (url, init) => {
      try {
        return await fetch(url, init);
      } catch (error) {
        if (init?.method !== 'POST') this.#fault = error;
        throw error;
      }
    };
  }

  overlong(one: OversizedMessage): void {
    this.#listener?.overlong(one);
  }

  start(listener: ChannelListener): void {
    this.#listener = listener;
    const transport = this.#transport;
    if (!transport) throw new Error('the channel has no transport');
    transport.onmessage = (message: unknown) => this.#receive(message, listener);
    void this.#open(transport);
  }

  send(message: Outgoing): void {
    const kept = this.#early.keep(message);
    if (kept === 'open') this.#post(message);
    else if (kept === 'full' && message.kind === 'request')
      this.#listener?.undelivered(message.id, new Error('too many messages were sent before the connection was open'));
  }

  agreed(version: string): void {
    this.#transport?.setProtocolVersion(version);
  }

  async close(): Promise<void> {
    await this.#end(undefined);
  }

  async #open(transport: SdkTransport): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it sent no endpoint event within ${OPEN_MS / 1_000} s`)), OPEN_MS);
    });
    try {
      await Promise.race([transport.start(), late]);
      // Set only now: errors before are reported below with their reason.
      transport.onclose = () => void this.#end(undefined);
      // The SDK would reopen the stream, but with a new session that lacks a handshake.
      transport.onerror = (error) => {
        if (this.#isOfStream(error)) void this.#end(new Error('its event stream ended unexpectedly'));
      };
      this.#early.open((message) => this.#post(message));
    } catch (error) {
      await this.#end(await remoteFailure(this.#fault ?? error, failureContext(this.#target)));
    } finally {
      clearTimeout(timer);
    }
  }

  #post(message: Outgoing): void {
    this.#transport?.send(keepDigits(toObject(message)) as never).catch(async (error: unknown) => {
      if (message.kind !== 'request') return;
      const reason = await remoteFailure(error, failureContext(this.#target));
      this.#listener?.undelivered(message.id, reason);
    });
  }

  #receive(message: unknown, listener: ChannelListener): void {
    const read = readMessage(message);
    if (!isValueDeeperThan(message, this.#limits().maxDepth)) listener.message(read);
    else if ((read.kind === 'result' || read.kind === 'fault') && read.id !== undefined)
      listener.undelivered(read.id, new Error('its answer is nested too deeply'));
  }

  async #end(reason: Error | undefined): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#listener?.onClose(reason);
    await this.#transport?.close();
    this.#remote[Symbol.dispose]();
  }
}
