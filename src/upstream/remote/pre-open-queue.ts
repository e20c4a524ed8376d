import type { Outgoing } from '../../rpc/index.js';

/** Limits the messages before the connection is open. */
const MAX_WAITING = 1_000;

/** Queues messages that are sent before the connection is open. */
export class PreOpenQueue {
  #waiting: Outgoing[] | undefined = [];

  /** `open`: the caller must send the message itself. `full`: the message is lost. */
  keep(message: Outgoing): 'kept' | 'open' | 'full' {
    if (!this.#waiting) return 'open';
    if (this.#waiting.length >= MAX_WAITING) return 'full';
    this.#waiting.push(message);
    return 'kept';
  }

  /** Sends the queued messages and stops queueing. */
  open(send: (message: Outgoing) => void): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const message of waiting) send(message);
  }
}
