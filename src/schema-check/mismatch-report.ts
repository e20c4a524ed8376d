import { type Path, pathText } from './value-path.js';

/** Something wrong with one part of a value. */
export interface MismatchDetail {
  readonly path: string;
  readonly message: string;
  /** The part is of another kind than was asked for (type, constant): this schema was hardly the one that was meant. */
  readonly isOtherKind: boolean;
}

/** What it costs to put a fault into words. */
const FAULT_STEPS = 20;

/** Collects faults up to a limit; with a limit of 0 it only tells whether there was one. */
export class Report {
  failures = 0;
  readonly faults: MismatchDetail[] = [];
  readonly #spend: (steps: number) => void;

  constructor(
    readonly limit: number,
    spend: (steps: number) => void,
  ) {
    this.#spend = spend;
  }

  /** Nothing that is still to come would be told: the rest need not be checked. */
  get isFull(): boolean {
    return this.failures > 0 && this.faults.length >= this.limit;
  }

  fail(path: Path | undefined, message: () => string, isOtherKind = false): void {
    this.failures += 1;
    if (this.faults.length >= this.limit) return;
    this.#spend(FAULT_STEPS);
    this.faults.push({ path: pathText(path), message: message(), isOtherKind });
  }

  /** Takes over what was found in an alternative. */
  adopt(faults: readonly MismatchDetail[]): void {
    this.failures += 1;
    this.faults.push(...faults.slice(0, this.limit - this.faults.length));
  }

  /** An empty report for a part that may fail without the whole failing. */
  fresh(limit = this.limit): Report {
    return new Report(limit, this.#spend);
  }
}
