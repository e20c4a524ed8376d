import { type Path, pathText } from './value-path.js';

/** A mismatch in one part of a value. */
export interface MismatchDetail {
  readonly path: string;
  readonly message: string;
  /** The part has another type or constant than required: the alternative was probably not the intended one. */
  readonly isOtherKind: boolean;
}

/** The steps for creating one message. */
const FAULT_STEPS = 20;

/** Collects mismatches up to a limit. With limit 0 it only records whether there was one. */
export class MismatchReport {
  failures = 0;
  readonly faults: MismatchDetail[] = [];
  readonly #spend: (steps: number) => void;

  constructor(
    readonly limit: number,
    spend: (steps: number) => void,
  ) {
    this.#spend = spend;
  }

  /** The report is complete: further checks cannot add to it. */
  get isFull(): boolean {
    return this.failures > 0 && this.faults.length >= this.limit;
  }

  fail(path: Path | undefined, message: () => string, isOtherKind = false): void {
    this.failures += 1;
    if (this.faults.length >= this.limit) return;
    this.#spend(FAULT_STEPS);
    this.faults.push({ path: pathText(path), message: message(), isOtherKind });
  }

  /** Takes over the mismatches of an alternative. */
  adopt(faults: readonly MismatchDetail[]): void {
    this.failures += 1;
    this.faults.push(...faults.slice(0, this.limit - this.faults.length));
  }

  /** An empty report for a part that may fail on its own. */
  fresh(limit = this.limit): MismatchReport {
    return new MismatchReport(limit, this.#spend);
  }
}
