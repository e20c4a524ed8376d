import { cleanText } from '../base/index.js';
import { compilePatterns, type Patterns } from './compile-patterns.js';
import { startRun } from './evaluate-schema.js';
import { type KnownSchema, readSchema } from './known-schema.js';
import { Report } from './mismatch-report.js';
import { hasShape, type PlainShape, plainShapeOf } from './plain-shape.js';
import { isObject } from './schema-object.js';
import { Stop } from './stop-check.js';

export interface Mismatch {
  /** Like `items[2].name`; empty for the whole. */
  readonly path: string;
  /** What is wrong and what is expected, for a model that is to mend it. */
  readonly message: string;
}

/** `unchecked` means that the schema is too large, broken or leads elsewhere: then the server decides. */
export type SchemaVerdict =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly mismatches: readonly Mismatch[] }
  | { readonly kind: 'unchecked'; readonly reason: string };

const MAX_MISMATCHES = 10;
const MAX_MESSAGE_CHARACTERS = 500;
const MAX_PATH_CHARACTERS = 300;

interface Prepared {
  readonly known: KnownSchema;
  readonly patterns: Patterns;
  readonly shape: PlainShape | undefined;
}

/** For as long as somebody holds the schema; what is kept for each is bounded where it is made. */
const prepared = new WeakMap<object, Promise<Prepared> | Prepared>();

/** Whether arguments fit a schema that was looked at before, said without a wait; false where that is not sure. */
export function fitsSurely(schema: unknown, value: unknown): boolean {
  const held = isObject(schema) ? prepared.get(schema) : undefined;
  if (!held || held instanceof Promise) return false;
  if (held.shape && hasShape(held.shape, value)) return true;
  try {
    return fits(held, value);
  } catch (error) {
    if (error instanceof Stop) return false;
    throw error;
  }
}

function fits({ known, patterns }: Prepared, value: unknown): boolean {
  const run = startRun(known, patterns);
  return run.apply(known.root, value, undefined, new Report(0, run.spend));
}

/** Holds arguments against a tool's schema in bounded time; both may be hostile. Nothing is fetched, and a schema never becomes code. */
export async function checkAgainst(schema: unknown, value: unknown): Promise<SchemaVerdict> {
  try {
    const held = await preparedOf(schema);
    return fits(held, value) ? { kind: 'valid' } : { kind: 'invalid', mismatches: mismatchesOf(held, value) };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { kind: 'unchecked', reason: cleanText(error.reason, MAX_MESSAGE_CHARACTERS).text };
  }
}

/** A second look, only at what is wrong anyhow: putting it into words is most of the work. */
function mismatchesOf({ known, patterns }: Prepared, value: unknown): Mismatch[] {
  const run = startRun(known, patterns);
  const report = new Report(MAX_MISMATCHES, run.spend);
  try {
    run.apply(known.root, value, undefined, report);
  } catch (error) {
    // It does not fit, as the first look has shown; what was found until now is told.
    if (!(error instanceof Stop)) throw error;
  }
  const mismatches = new Map<string, Mismatch>();
  for (const fault of report.faults) {
    const path = cleanText(fault.path, MAX_PATH_CHARACTERS).text;
    const message = cleanText(fault.message, MAX_MESSAGE_CHARACTERS).text;
    mismatches.set(`${path} ${message}`, { path, message });
  }
  return mismatches.size > 0 ? [...mismatches.values()] : [{ path: '', message: 'does not fit the schema' }];
}

async function preparedOf(schema: unknown): Promise<Prepared> {
  if (!isObject(schema)) return prepare(schema);
  const held = prepared.get(schema) ?? prepare(schema);
  // Stored before the first await, so that two calls at once prepare it once. A schema that cannot be read stays so.
  prepared.set(schema, held);
  const made = await held;
  prepared.set(schema, made);
  return made;
}

async function prepare(schema: unknown): Promise<Prepared> {
  const known = readSchema(schema);
  return { known, patterns: await compilePatterns(known.patterns), shape: plainShapeOf(schema) };
}
