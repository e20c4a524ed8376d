// Our own checker: ajv runs generated code, `@cfworker/json-schema` in a worker costs 11 MB and eight times as long per call, and the
// messages of both do not help a model (docs/decisions/0009).
import { cleanText, isObject } from '../base/index.js';
import { compileSchemaPatterns, type Patterns } from './compile-patterns.js';
import { startRun } from './evaluate-schema.js';
import { type KnownSchema, readSchema } from './known-schema.js';
import { MismatchReport } from './mismatch-report.js';
import { hasShape, type PlainShape, plainShapeOf } from './plain-shape.js';
import { Stop } from './stop-check.js';

export interface Mismatch {
  /** Such as `items[2].name`; empty for the whole value. */
  readonly path: string;
  /** What is wrong and what is expected, for a model that corrects its call. */
  readonly message: string;
}

/** `unchecked`: the schema is too large, invalid or refers to another document. Then the server validates. */
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

/** Cached as long as the schema is referenced; the size of each entry is limited where it is created. */
const prepared = new WeakMap<object, Promise<Prepared> | Prepared>();

/** Returns whether arguments match a schema that was prepared before, without waiting; false if that is not certain. */
export function certainlyMatches(schema: unknown, value: unknown): boolean {
  const cached = isObject(schema) ? prepared.get(schema) : undefined;
  if (!cached || cached instanceof Promise) return false;
  if (cached.shape && hasShape(cached.shape, value)) return true;
  try {
    return fits(cached, value);
  } catch (error) {
    if (error instanceof Stop) return false;
    throw error;
  }
}

function fits({ known, patterns }: Prepared, value: unknown): boolean {
  const run = startRun(known, patterns);
  return run.apply(known.root, value, undefined, new MismatchReport(0, run.spend));
}

/**
 * Validates arguments against a tool's schema in bounded time; both may be hostile. Fetches nothing and generates no
 * code from the schema.
 */
export async function checkAgainst(schema: unknown, value: unknown): Promise<SchemaVerdict> {
  try {
    const ready = await preparedOf(schema);
    return fits(ready, value) ? { kind: 'valid' } : { kind: 'invalid', mismatches: mismatchesOf(ready, value) };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { kind: 'unchecked', reason: cleanText(error.reason, MAX_MESSAGE_CHARACTERS).text };
  }
}

/** A second evaluation, only for invalid values, because most of the work is creating messages. */
function mismatchesOf({ known, patterns }: Prepared, value: unknown): Mismatch[] {
  const run = startRun(known, patterns);
  const report = new MismatchReport(MAX_MISMATCHES, run.spend);
  try {
    run.apply(known.root, value, undefined, report);
  } catch (error) {
    // The first evaluation has shown a mismatch; report those found so far.
    if (!(error instanceof Stop)) throw error;
  }
  const mismatches = new Map<string, Mismatch>();
  for (const fault of report.faults) {
    const path = cleanText(fault.path, MAX_PATH_CHARACTERS).text;
    const message = cleanText(fault.message, MAX_MESSAGE_CHARACTERS).text;
    mismatches.set(`${path} ${message}`, { path, message });
  }
  return mismatches.size > 0 ? [...mismatches.values()] : [{ path: '', message: 'does not match the schema' }];
}

async function preparedOf(schema: unknown): Promise<Prepared> {
  if (!isObject(schema)) return prepare(schema);
  const cached = prepared.get(schema) ?? prepare(schema);
  // Stored before the first await, so that concurrent calls prepare the schema once. An invalid schema stays invalid.
  prepared.set(schema, cached);
  const made = await cached;
  prepared.set(schema, made);
  return made;
}

async function prepare(schema: unknown): Promise<Prepared> {
  const known = readSchema(schema);
  return { known, patterns: await compileSchemaPatterns(known.patterns), shape: plainShapeOf(schema) };
}
