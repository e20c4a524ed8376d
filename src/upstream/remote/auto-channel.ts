import type { Channel, ChannelListener, Id, Outgoing } from '../../rpc/index.js';

/** Both transports for a server whose entry does not name one. */
export interface AutoChannelOptions {
  readonly http: () => Promise<Channel>;
  readonly sse: () => Promise<Channel>;
  /** The transport that worked last time. */
  readonly first: 'http' | 'sse';
  /** Called with the first message over SSE. */
  readonly isSse: () => void;
}

/** Uses Streamable HTTP and, if the server refuses `initialize` there, HTTP+SSE. */
export async function openAutoChannel(options: AutoChannelOptions): Promise<Channel> {
  return new AutoChannel(await options[options.first](), options);
}

class AutoChannel implements Channel {
  readonly #options: AutoChannelOptions;
  #channel: Channel;
  #initializeRequest: Extract<Outgoing, { kind: 'request' }> | undefined;
  #isClosed = false;

  constructor(first: Channel, options: AutoChannelOptions) {
    this.#channel = first;
    this.#options = options;
  }

  get backlogBytes(): number {
    return this.#channel.backlogBytes;
  }

  get carriesHeaders(): boolean {
    return this.#channel.carriesHeaders === true;
  }

  start(listener: ChannelListener): void {
    const channel = this.#channel;
    const overHttp: ChannelListener = {
      ...this.#forwarded(channel, listener),
      undelivered: (id, reason) => {
        if (this.#channel !== channel) return;
        if (id === this.#initializeRequest?.id && speaksOtherwise(reason)) void this.#change(id, reason, listener);
        else listener.undelivered(id, reason);
      },
    };
    channel.start(this.#options.first === 'http' ? overHttp : this.#overSse(listener, (reason) => reason));
  }

  send(message: Outgoing): void {
    // No other message precedes the answer to `initialize`, so only this request is repeated over SSE.
    if (message.kind === 'request' && message.method === 'initialize') this.#initializeRequest = message;
    this.#channel.send(message);
  }

  setRevision(version: string): void {
    this.#initializeRequest = undefined;
    this.#channel.setRevision?.(version);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#channel.close();
  }

  async #change(id: Id, refusal: Error, listener: ChannelListener): Promise<void> {
    const [before, initializeRequest] = [this.#channel, this.#initializeRequest];
    this.#initializeRequest = undefined;
    try {
      const channel = await this.#options.sse();
      if (this.#isClosed || !initializeRequest) return await channel.close();
      this.#channel = channel;
      channel.start(this.#overSse(listener, (reason) => neither(refusal, reason)));
      channel.send(initializeRequest);
      await before.close();
    } catch (error) {
      listener.undelivered(id, neither(refusal, error instanceof Error ? error : undefined));
    }
  }

  /** `silent` makes the reason of a close without any message before. */
  #overSse(listener: ChannelListener, silent: (reason: Error | undefined) => Error | undefined): ChannelListener {
    let hasSpoken = false;
    return {
      ...listener,
      message: (message) => {
        if (!hasSpoken) this.#options.isSse();
        hasSpoken = true;
        listener.message(message);
      },
      onClose: (reason) => listener.onClose(hasSpoken || this.#isClosed ? reason : silent(reason)),
    };
  }

  #forwarded(channel: Channel, listener: ChannelListener): ChannelListener {
    const isCurrent = () => this.#channel === channel;
    return {
      message: (message) => isCurrent() && listener.message(message),
      overlong: (line) => isCurrent() && listener.overlong(line),
      undelivered: (id, reason) => isCurrent() && listener.undelivered(id, reason),
      onClose: (reason) => isCurrent() && listener.onClose(reason),
    };
  }
}

/** A client error other than an access error suggests that the server uses the other transport. */
function speaksOtherwise(reason: Error): boolean {
  const status = 'status' in reason && typeof reason.status === 'number' ? reason.status : 0;
  return status >= 400 && status < 500 && status !== 401 && status !== 403;
}

function neither(http: Error, sse: Error | undefined): Error {
  const status = sse && 'status' in sse && typeof sse.status === 'number' ? sse.status : undefined;
  // An access error over SSE means that SSE is right, so report only that.
  if (sse && (status === 401 || status === 403)) return sse;
  return new Error(`neither Streamable HTTP nor SSE: ${http.message}; ${sse?.message ?? 'the stream ended'}`);
}
