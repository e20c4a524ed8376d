import { isObject } from '../base/index.js';
import { isAmong } from './canonical-value.js';
import type { CheckRun, Frame, Seen } from './check-frame.js';
import type { Patterns } from './compile-patterns.js';
import { describe, showKind, showList, showValue, showValues, typeNoun, typesOf } from './describe-schema.js';
import { checkChoices } from './keywords/choice-keywords.js';
import { checkList, checkUnevaluatedItems } from './keywords/list-keywords.js';
import { checkNumber } from './keywords/number-keywords.js';
import { checkObject, checkUnevaluatedProperties } from './keywords/object-keywords.js';
import { checkString } from './keywords/string-keywords.js';
import type { KnownSchema } from './known-schema.js';
import { listAt, own, type SchemaObject } from './schema-object.js';
import { Stop } from './stop-check.js';

/** Less than a second even on a busy machine; ordinary calls need a few hundred. */
const MAX_STEPS = 1_000_000;
/** Evaluating a schema costs more than comparing a name. */
const APPLY_STEPS = 4;
/** The maximum depth of nested schemas; also ends circular references. */
const MAX_DEPTH = 200;

const MAX_PATTERN_STEPS = 200_000;
/** The maximum number of references to follow for a message. */
const MAX_FOLLOWED = 8;

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isObject,
};

/** Creates an interpreter for one check. It generates no code from the schema, and its step budget bounds its time. */
export function startRun(known: KnownSchema, patterns: Patterns): CheckRun {
  let left = MAX_STEPS;
  let depth = 0;
  const spend = (steps: number): void => {
    left -= steps;
    if (left < 0) throw new Stop('checking the arguments against the schema takes too long');
  };
  const resolved = (schema: unknown): unknown => {
    let here = schema;
    for (let n = 0; n < MAX_FOLLOWED; n += 1) {
      const reference = isObject(here) ? own(here, '$ref') : undefined;
      if (!isObject(here) || typeof reference !== 'string') break;
      spend(1);
      here = known.tryResolve(reference, here);
    }
    return here;
  };
  const run: CheckRun = {
    isOld: known.isOld,
    spend,
    resolved,
    matches: (pattern, text) => {
      const steps = text.length * patterns.cost(pattern);
      // A text that is too long for its pattern is left to the server; the other arguments are still checked.
      if (steps > MAX_PATTERN_STEPS) return undefined;
      spend(steps);
      return patterns.test(pattern, text);
    },
    apply(schema, value, path, report, into) {
      spend(APPLY_STEPS);
      if (schema === true) return true;
      if (schema === false) {
        report.fail(path, () => 'is not allowed here');
        return false;
      }
      if (!isObject(schema)) throw new Stop('the schema is invalid: a part of it is not a schema');
      if (depth >= MAX_DEPTH) throw new Stop('the schema is nested too deep or refers to itself');
      const before = report.failures;
      const seen: Seen | undefined = known.hasUnevaluated ? { names: new Set(), items: new Set() } : undefined;
      depth += 1;
      evaluate({ schema, value, path, report, seen, run }, known);
      depth -= 1;
      const fits = report.failures === before;
      if (fits && into && seen) addAll(seen, into, spend);
      return fits;
    },
  };
  return run;
}

function evaluate(frame: Frame, known: KnownSchema): void {
  const { schema, value, path, report, seen, run } = frame;
  const reference = own(schema, '$ref');
  if (typeof reference === 'string') {
    run.apply(known.resolve(reference, schema), value, path, report, seen);
    // Up to draft-07, keywords beside `$ref` are ignored.
    if (run.isOld) return;
  }
  for (const word of ['$dynamicRef', '$recursiveRef']) {
    const other = run.isOld ? undefined : own(schema, word);
    if (typeof other === 'string') run.apply(known.resolve(other, schema), value, path, report, seen);
  }
  if (report.isFull || !checkKind(frame) || report.isFull) return;
  if (typeof value === 'string') checkString(frame, value);
  else if (typeof value === 'number') checkNumber(frame, value);
  else if (Array.isArray(value)) checkList(frame, value);
  else if (isObject(value)) checkObject(frame, value);
  if (!report.isFull) checkChoices(frame);
  if (report.isFull || run.isOld) return;
  if (Array.isArray(value)) checkUnevaluatedItems(frame, value);
  else if (isObject(value)) checkUnevaluatedProperties(frame, value);
}

/** Checks `type`, `const` and `enum`. After a mismatch, other messages about the value are useless. */
function checkKind({ schema, value, path, report, run }: Frame): boolean {
  const types = typesOf(schema);
  for (const type of types) if (!Object.hasOwn(TYPES, type)) throw new Stop(brokenType(type));
  if (types.length > 0 && !types.some((type) => TYPES[type]?.(value))) {
    report.fail(path, () => `must be ${expectedTypes(schema, types, run)}, but is ${showKind(value)}`, true);
    return false;
  }
  if (Object.hasOwn(schema, 'const') && !isAmong(value, [own(schema, 'const')], run.spend)) {
    report.fail(
      path,
      () => `must be ${showValues([own(schema, 'const')], run.spend)}, but is ${showValues([value], run.spend)}`,
      true,
    );
    return false;
  }
  if (Array.isArray(own(schema, 'enum')) && !isAmong(value, listAt(schema, 'enum'), run.spend)) {
    report.fail(
      path,
      () => `must be one of ${showValues(listAt(schema, 'enum'), run.spend)}, but is ${showValue(value)}`,
      true,
    );
    return false;
  }
  return true;
}

const brokenType = (type: string): string => `the schema is invalid: there is no type ${showValue(type)}`;

function expectedTypes(schema: SchemaObject, types: readonly string[], run: CheckRun): string {
  return types.length === 1 ? describe(schema, run) : showList(types.map(typeNoun), types.length, types.length, ' or ');
}

function addAll(seen: Seen, into: Seen, spend: (steps: number) => void): void {
  spend(seen.names.size + seen.items.size);
  for (const name of seen.names) into.names.add(name);
  for (const item of seen.items) into.items.add(item);
}
