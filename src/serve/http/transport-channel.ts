import { type Channel, type ChannelListener, type Id, type Outgoing, readMessage, toObject } from '../../rpc/index.js';

/** The subset of the SDK's server transports that is used here. */
export interface SdkServerTransport {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  start(): Promise<void>;
  send(message: never, options?: { relatedRequestId?: Id }): Promise<void>;
  close(): Promise<void>;
}

/** One of the SDK's server transports as a message channel. */
export class TransportChannel implements Channel {
  /** Zero: each response has its own stream, and `writeWithBackpressure` disconnects clients that do not read. */
  readonly backlogBytes = 0;
  readonly #transport: SdkServerTransport;
  #listener: ChannelListener | undefined;
  #faultCode: number | undefined;

  constructor(transport: SdkServerTransport) {
    this.#transport = transport;
  }

  /** The code of the last error sent; it decides the HTTP status of a single response. */
  get faultCode(): number | undefined {
    return this.#faultCode;
  }

  start(listener: ChannelListener): void {
    this.#listener = listener;
    this.#transport.onmessage = (message: unknown) => listener.message(readMessage(message));
    this.#transport.onclose = () => listener.onClose(undefined);
    // The transport has already answered these errors with a status, or the client has disconnected.
    this.#transport.onerror = () => undefined;
    void this.#transport.start();
  }

  send(message: Outgoing): void {
    if (message.kind === 'fault') this.#faultCode = message.fault.code;
    const about = 'about' in message ? message.about : undefined;
    const sent = this.#transport.send(
      toObject(message) as never,
      about === undefined ? {} : { relatedRequestId: about },
    );
    sent.catch((error: unknown) => {
      const reason = error instanceof Error ? error : new Error(String(error));
      if (message.kind === 'request') this.#listener?.undelivered(message.id, reason);
    });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}
