import { isValueDeeperThan } from '../../base/index.js';
import {
  type Channel,
  type ChannelListener,
  type Id,
  type Outgoing,
  readMessage,
  type StreamLimits,
} from '../../rpc/index.js';
import type { OversizedMessage } from './bounded-fetch.js';
import { remoteFailure } from './remote-failure.js';
import type { RemoteFetch } from './remote-fetch.js';
import { failureContext, type RemoteTarget } from './remote-target.js';

/** The part that both transports of the SDK have. */
export interface SdkTransport {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  start(): Promise<void>;
  close(): Promise<void>;
  setProtocolVersion(version: string): void;
}

/** What Streamable HTTP and HTTP+SSE have in common: a transport of the SDK behind our checks of size and depth. */
export abstract class SdkHttpChannel<T extends SdkTransport> implements Channel {
  readonly backlogBytes = 0;
  protected transport: T | undefined;
  protected listener: ChannelListener | undefined;
  protected isClosed = false;
  readonly #target: RemoteTarget;
  readonly #remote: RemoteFetch;
  readonly #limits: () => StreamLimits;

  constructor(target: RemoteTarget, remote: RemoteFetch, limits: () => StreamLimits) {
    this.#target = target;
    this.#remote = remote;
    this.#limits = limits;
  }

  /** The transport is created after the channel, because its `fetch` reports to the channel. */
  use(transport: unknown): void {
    this.transport = transport as T;
  }

  overlong(one: OversizedMessage): void {
    this.listener?.overlong(one);
  }

  start(listener: ChannelListener): void {
    const { transport } = this;
    if (!transport) throw new Error('the channel has no transport');
    this.listener = listener;
    transport.onmessage = (message: unknown) => this.#receive(message, listener);
    this.open(transport);
  }

  setRevision(version: string): void {
    this.transport?.setProtocolVersion(version);
  }

  abstract send(message: Outgoing): void;
  abstract close(): Promise<void>;
  protected abstract open(transport: T): void;
  /** Called for each response, before the listener gets it. */
  protected answered?(id: Id): void;

  protected failure(error: unknown): Promise<Error> {
    return remoteFailure(error, failureContext(this.#target));
  }

  /** Returns false if the channel had ended before. */
  protected end(reason: Error | undefined): boolean {
    if (this.isClosed) return false;
    this.isClosed = true;
    this.listener?.onClose(reason);
    return true;
  }

  /** Frees the connections. */
  protected async closeTransport(): Promise<void> {
    await this.transport?.close();
    this.#remote[Symbol.dispose]();
  }

  /** A message that is nested too deeply cannot be serialised again, so fail its request. */
  #receive(message: unknown, listener: ChannelListener): void {
    const read = readMessage(message);
    const id = read.kind === 'result' || read.kind === 'fault' ? read.id : undefined;
    if (id !== undefined) this.answered?.(id);
    if (!isValueDeeperThan(message, this.#limits().maxDepth)) listener.message(read);
    else if (id !== undefined) listener.undelivered(id, new Error('its answer is nested too deeply'));
  }
}
