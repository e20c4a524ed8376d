import type { PatternTest } from './compile-patterns.js';
import type { Report } from './mismatch-report.js';
import type { SchemaObject } from './schema-object.js';
import type { Path } from './value-path.js';

/** What of an object or list a schema has looked at, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Seen {
  readonly names: Set<string>;
  readonly items: Set<number>;
}

/** One schema held against one value. */
export interface Frame {
  readonly schema: SchemaObject;
  readonly value: unknown;
  readonly path: Path | undefined;
  readonly report: Report;
  /** There only where some `unevaluated…` will ask. */
  readonly seen: Seen | undefined;
  readonly run: Run;
}

/** What all frames of one check share. It stands between the words of the language and the interpreter, so that neither imports the other. */
export interface Run {
  readonly isOld: boolean;
  /** Stops the check when it has used up its steps. */
  spend(steps: number): void;
  matches: PatternTest;
  /** Holds a further schema against a value; what a fitting one has seen is added to `into`. */
  apply(schema: unknown, value: unknown, path: Path | undefined, report: Report, into?: Seen): boolean;
  /** For messages: the schema, or what it refers to; `undefined` if that cannot be had. */
  resolved(schema: unknown): unknown;
}
