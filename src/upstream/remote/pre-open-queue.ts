import type { Outgoing } from '../../rpc/index.js';

/** More than anybody says before a connection is open. */
const MAX_WAITING = 1_000;

/** Messages that were sent before the road was open, in their order. */
export class PreOpenQueue {
  #waiting: Outgoing[] | undefined = [];

  /** Who hears `open` sends it himself; `full` means that nobody will. */
  keep(message: Outgoing): 'kept' | 'open' | 'full' {
    if (!this.#waiting) return 'open';
    if (this.#waiting.length >= MAX_WAITING) return 'full';
    this.#waiting.push(message);
    return 'kept';
  }

  /** From now on nothing is kept. */
  open(send: (message: Outgoing) => void): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const message of waiting) send(message);
  }
}
