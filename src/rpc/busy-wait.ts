/** Going to sleep and being woken takes a good part of this. */
const AWAKE_MS = 0.25;

/** In a burst a message may be alone by chance, and whoever stays awake then takes the core that the others need. */
export const ALONE_IN_A_ROW = 8;

/** Whoever is awake now: where two have something under way, there is work enough to keep the loop from sleeping. */
let awake: BusyWait | undefined;
let isLooking = false;
let cores: number | undefined;

/**
 * Stays awake for an answer that comes soon, and has it in two thirds of the time. Only where calls come one after the other,
 * and only who answered soon the last time is waited for like this: a tool that takes longer costs one such moment, a client
 * that thinks costs none.
 */
export class BusyWait {
  readonly #now: () => number;
  #since: number | undefined;
  #wasSoon = false;
  #aloneInARow = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Something left, and nothing else is under way on this road: what comes next is the answer to it. */
  begin(): void {
    this.#since = this.#now();
    this.#aloneInARow += 1;
    if (!this.#wasSoon || this.#aloneInARow < ALONE_IN_A_ROW || awake || !hasCoreToSpare()) return;
    awake = this;
    if (isLooking) return;
    isLooking = true;
    setImmediate(look);
  }

  /** Something left, and more is under way. */
  interrupt(): void {
    this.#aloneInARow = 0;
  }

  /** Something came. */
  end(): void {
    if (this.#since === undefined) return;
    this.#wasSoon = this.#now() - this.#since < AWAKE_MS;
    this.#since = undefined;
    if (awake === this) awake = undefined;
  }

  get isAwake(): boolean {
    return awake === this && this.#since !== undefined && this.#now() - this.#since < AWAKE_MS;
  }
}

/** As long as there is something to do in the next turn of its loop, Node looks at the pipes and does not wait at them. */
function look(): void {
  isLooking = awake?.isAwake === true;
  if (isLooking) setImmediate(look);
  else awake = undefined;
}

/** Where there is but one, whoever stays awake keeps the other side from answering. */
function hasCoreToSpare(): boolean {
  cores ??= process.getBuiltinModule('node:os').availableParallelism();
  return cores > 1;
}
