import { keepDigits } from '../../base/index.js';
import { type Channel, type Outgoing, type StreamLimits, toObject } from '../../rpc/index.js';
import { boundedFetch } from './bounded-fetch.js';
import { PreOpenQueue } from './pre-open-queue.js';
import { type Fetch, type RemoteFetch, remoteFetch } from './remote-fetch.js';
import type { RemoteTarget } from './remote-target.js';
import { SdkHttpChannel, type SdkTransport } from './sdk-http-channel.js';

interface SseTransport extends SdkTransport {
  send(message: never): Promise<void>;
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
  channel.use(transport);
  return channel;
}

class SseChannel extends SdkHttpChannel<SseTransport> {
  readonly #isOfStream: (error: Error) => boolean;
  readonly #early = new PreOpenQueue();
  #fault: unknown;

  constructor(
    target: RemoteTarget,
    remote: RemoteFetch,
    limits: () => StreamLimits,
    isOfStream: (error: Error) => boolean,
  ) {
    super(target, remote, limits);
    this.#isOfStream = isOfStream;
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

  send(message: Outgoing): void {
    const kept = this.#early.keep(message);
    if (kept === 'open') this.#post(message);
    else if (kept === 'full' && message.kind === 'request')
      this.listener?.undelivered(message.id, new Error('too many messages were sent before the connection was open'));
  }

  async close(): Promise<void> {
    await this.#endAndClose(undefined);
  }

  protected open(transport: SseTransport): void {
    void this.#open(transport);
  }

  async #open(transport: SseTransport): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it sent no endpoint event within ${OPEN_MS / 1_000} s`)), OPEN_MS);
    });
    try {
      await Promise.race([transport.start(), timedOut]);
      // Set only now: errors before are reported below with their reason.
      transport.onclose = () => void this.#endAndClose(undefined);
      // The SDK would reopen the stream, but with a new session that lacks a handshake.
      transport.onerror = (error) => {
        if (this.#isOfStream(error)) void this.#endAndClose(new Error('its event stream ended unexpectedly'));
      };
      this.#early.open((message) => this.#post(message));
    } catch (error) {
      await this.#endAndClose(await this.failure(this.#fault ?? error));
    } finally {
      clearTimeout(timer);
    }
  }

  #post(message: Outgoing): void {
    this.transport?.send(keepDigits(toObject(message)) as never).catch(async (error: unknown) => {
      if (message.kind !== 'request') return;
      const reason = await this.failure(error);
      this.listener?.undelivered(message.id, reason);
    });
  }

  async #endAndClose(reason: Error | undefined): Promise<void> {
    if (this.end(reason)) await this.closeTransport();
  }
}
