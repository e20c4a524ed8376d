import type { PatternTest } from './compile-patterns.js';
import type { MismatchReport } from './mismatch-report.js';
import type { SchemaObject } from './schema-object.js';
import type { Path } from './value-path.js';

/** The properties and items that some keyword has evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Seen {
  readonly names: Set<string>;
  readonly items: Set<number>;
}

/** The evaluation of one schema against one value. */
export interface Frame {
  readonly schema: SchemaObject;
  readonly value: unknown;
  readonly path: Path | undefined;
  readonly report: MismatchReport;
  /** Present only if an `unevaluated…` keyword needs it. */
  readonly seen: Seen | undefined;
  readonly run: CheckRun;
}

/**
 * The state shared by all frames of one check. It has a file of its own so that the keywords and the interpreter do not
 * import each other.
 */
export interface CheckRun {
  readonly isOld: boolean;
  /** Aborts the check when its step budget is used up. */
  spend(steps: number): void;
  matches: PatternTest;
  /** Evaluates another schema against a value; if it matches, adds the evaluated parts to `into`. */
  apply(schema: unknown, value: unknown, path: Path | undefined, report: MismatchReport, into?: Seen): boolean;
  /** For messages: the schema, or the one it refers to; `undefined` if the reference cannot be resolved. */
  resolved(schema: unknown): unknown;
}
