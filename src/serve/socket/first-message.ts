import type { Channel, ChannelListener, Incoming, Outgoing } from '../../rpc/index.js';

/** The number of messages to queue until a listener is attached. */
const MAX_WAITING = 256;

/** A channel that exposes its first message before a listener is chosen. */
export class FirstMessage implements Channel {
  readonly #channel: Channel;
  readonly #waiting: ((listener: ChannelListener) => void)[] = [];
  #listener: ChannelListener | undefined;
  #found: (message: Incoming | undefined) => void = () => undefined;
  /** The first message; undefined if the client disconnected without one. */
  readonly first: Promise<Incoming | undefined>;

  constructor(channel: Channel) {
    this.#channel = channel;
    this.first = new Promise((resolve) => {
      this.#found = resolve;
    });
    channel.start({
      message: (message) => {
        if (this.#listener) {
          this.#listener.message(message);
          return;
        }
        this.#found(message);
        this.#pass((listener) => listener.message(message));
      },
      overlong: (line) => {
        this.#found(undefined);
        this.#pass((listener) => listener.overlong(line));
      },
      undelivered: (id, reason) => this.#pass((listener) => listener.undelivered(id, reason)),
      onClose: (reason) => {
        this.#found(undefined);
        this.#pass((listener) => listener.onClose(reason));
      },
    });
  }

  get backlogBytes(): number {
    return this.#channel.backlogBytes;
  }

  /** Consumes the first message, so that the listener does not get it. */
  take(): void {
    this.#waiting.shift();
  }

  start(listener: ChannelListener): void {
    // Deferred, because the listener may not be ready before `start` returns.
    queueMicrotask(() => {
      this.#listener = listener;
      for (const tell of this.#waiting.splice(0)) tell(listener);
    });
  }

  send(message: Outgoing, isLast?: boolean): void {
    this.#channel.send(message, isLast);
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  #pass(tell: (listener: ChannelListener) => void): void {
    if (this.#listener) tell(this.#listener);
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(tell);
    else void this.#channel.close();
  }
}
