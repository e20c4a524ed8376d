import type { Channel, ChannelListener, Id, Outgoing } from '../../rpc/index.js';

/** The two ways of reaching a server whose entry does not say which. */
export interface Roads {
  readonly http: () => Promise<Channel>;
  readonly sse: () => Promise<Channel>;
  /** What the server spoke the last time. */
  readonly first: 'http' | 'sse';
  /** Called when the server has said something on the older one. */
  readonly isSse: () => void;
}

/** A server that speaks Streamable HTTP or, if it refuses the greeting in it, the way that was before. */
export async function openAutoChannel(roads: Roads): Promise<Channel> {
  return new AutoChannel(await roads[roads.first](), roads);
}

class AutoChannel implements Channel {
  readonly #roads: Roads;
  #road: Channel;
  #greeting: Extract<Outgoing, { kind: 'request' }> | undefined;
  #isClosed = false;

  constructor(first: Channel, roads: Roads) {
    this.#road = first;
    this.#roads = roads;
  }

  get backlogBytes(): number {
    return this.#road.backlogBytes;
  }

  get carriesHeaders(): boolean {
    return this.#road.carriesHeaders === true;
  }

  start(listener: ChannelListener): void {
    const road = this.#road;
    const overHttp: ChannelListener = {
      ...this.#passedOn(road, listener),
      undelivered: (id, reason) => {
        if (this.#road !== road) return;
        if (id === this.#greeting?.id && speaksOtherwise(reason)) void this.#change(id, reason, listener);
        else listener.undelivered(id, reason);
      },
    };
    road.start(this.#roads.first === 'http' ? overHttp : this.#overSse(listener, (reason) => reason));
  }

  send(message: Outgoing): void {
    // Nobody says anything before the greeting is answered: there is nothing to carry over but itself.
    if (message.kind === 'request' && message.method === 'initialize') this.#greeting = message;
    this.#road.send(message);
  }

  agreed(version: string): void {
    this.#greeting = undefined;
    this.#road.agreed?.(version);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#road.close();
  }

  async #change(id: Id, refusal: Error, listener: ChannelListener): Promise<void> {
    const [before, greeting] = [this.#road, this.#greeting];
    this.#greeting = undefined;
    try {
      const road = await this.#roads.sse();
      if (this.#isClosed || !greeting) return await road.close();
      this.#road = road;
      road.start(this.#overSse(listener, (reason) => neither(refusal, reason)));
      road.send(greeting);
      await before.close();
    } catch (error) {
      listener.undelivered(id, neither(refusal, error instanceof Error ? error : undefined));
    }
  }

  /** `silent` words the end of a road on which nothing was ever said. */
  #overSse(listener: ChannelListener, silent: (reason: Error | undefined) => Error | undefined): ChannelListener {
    let hasSpoken = false;
    return {
      ...listener,
      message: (message) => {
        if (!hasSpoken) this.#roads.isSse();
        hasSpoken = true;
        listener.message(message);
      },
      onClose: (reason) => listener.onClose(hasSpoken || this.#isClosed ? reason : silent(reason)),
    };
  }

  #passedOn(road: Channel, listener: ChannelListener): ChannelListener {
    const isCurrent = () => this.#road === road;
    return {
      message: (message) => isCurrent() && listener.message(message),
      overlong: (line) => isCurrent() && listener.overlong(line),
      undelivered: (id, reason) => isCurrent() && listener.undelivered(id, reason),
      onClose: (reason) => isCurrent() && listener.onClose(reason),
    };
  }
}

/** A refusal that is not about who we are. */
function speaksOtherwise(reason: Error): boolean {
  const status = 'status' in reason && typeof reason.status === 'number' ? reason.status : 0;
  return status >= 400 && status < 500 && status !== 401 && status !== 403;
}

function neither(http: Error, sse: Error | undefined): Error {
  const status = sse && 'status' in sse && typeof sse.status === 'number' ? sse.status : undefined;
  // A refusal on the older road may be all that there is to know.
  if (sse && (status === 401 || status === 403)) return sse;
  return new Error(`neither Streamable HTTP nor SSE: ${http.message}; ${sse?.message ?? 'the stream ended'}`);
}
