import { ErrorCode, PortolanError } from '../../base/index.js';

/**
 * Runs a limited number at once and the rest in order. It rejects callers if the queue is full or the wait too long.
 */
export class RunQueue {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waitMs: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(atOnce: number, maxWaiting: number, waitMs: number) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
    this.#waitMs = waitMs;
  }

  get idle(): boolean {
    return this.#taken === 0 && this.#waiting.length === 0;
  }

  /** Resolves to a handle that releases the slot, or to undefined if the caller cancelled. */
  async take(signal: AbortSignal): Promise<Disposable | undefined> {
    if (signal.aborted) return undefined;
    if (this.#taken < this.#atOnce) this.#taken += 1;
    else if (!(await this.#wait(signal))) return undefined;
    return { [Symbol.dispose]: () => this.#giveBack() };
  }

  #giveBack(): void {
    // Pass the slot to the next caller directly, so that no new caller can take it first.
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken -= 1;
  }

  /** True when the caller gets a slot. */
  #wait(signal: AbortSignal): Promise<boolean> {
    if (this.#waiting.length >= this.#maxWaiting) throw busy();
    return new Promise((resolve, reject) => {
      const leave = () => {
        const at = this.#waiting.indexOf(begin);
        if (at >= 0) this.#waiting.splice(at, 1);
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
      };
      const cancel = () => {
        leave();
        resolve(false);
      };
      const begin = () => {
        leave();
        resolve(true);
      };
      const timer = setTimeout(() => {
        leave();
        reject(busy());
      }, this.#waitMs);
      signal.addEventListener('abort', cancel, { once: true });
      this.#waiting.push(begin);
    });
  }
}

function busy(): PortolanError {
  return new PortolanError(ErrorCode.LimitExceeded, 'too many programs are running in the sandbox', {
    hint: 'retry when one of them has finished',
  });
}
