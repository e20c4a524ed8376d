import { isObject, nearest } from '../../base/index.js';
import type { Frame } from '../check-frame.js';
import { describe, showNames, showValue } from '../describe-schema.js';
import { mapAt, own, type SchemaObject, stringsAt } from '../schema-object.js';

/** With more known names than this, messages contain neither suggestions nor the list of names. */
const MAX_SUGGESTED_FROM = 500;
/** The steps for comparing two names. */
const COMPARED_STEPS = 20;

export function checkObject(frame: Frame, value: SchemaObject): void {
  const { schema, path, report, run } = frame;
  const names = Object.keys(value);
  run.spend(names.length);
  const [least, most] = [own(schema, 'minProperties'), own(schema, 'maxProperties')];
  if (typeof least === 'number' && names.length < least)
    report.fail(path, () => `must have at least ${least} properties, but has ${names.length}`);
  if (typeof most === 'number' && names.length > most)
    report.fail(path, () => `must have at most ${most} properties, but has ${names.length}`);
  requireNames(frame, value, stringsAt(schema, 'required'), 'is missing');
  checkProperties(frame, value, names);
  checkNames(frame, names);
  checkDependencies(frame, value);
}

function requireNames(frame: Frame, value: SchemaObject, required: readonly string[], message: string): void {
  const { schema, path, report, run } = frame;
  run.spend(required.length);
  for (const name of required) {
    if (Object.hasOwn(value, name)) continue;
    report.fail({ parent: path, key: name }, () => {
      const property = own(mapAt(schema, 'properties'), name);
      return property === undefined ? message : `${message}; expected ${describe(property, run)}`;
    });
  }
}

function checkProperties(frame: Frame, value: SchemaObject, names: readonly string[]): void {
  const { schema, path, report, run, seen } = frame;
  const known = mapAt(schema, 'properties');
  const patterns = Object.entries(mapAt(schema, 'patternProperties'));
  const rest = own(schema, 'additionalProperties');
  run.spend(patterns.length);
  for (const name of names) {
    if (report.isFull) return;
    run.spend(1 + patterns.length);
    const here = { parent: path, key: name };
    const part = own(value, name);
    let isKnown = Object.hasOwn(known, name);
    if (isKnown) run.apply(own(known, name), part, here, report);
    for (const [pattern, wanted] of patterns) {
      const matches = run.matches(pattern, name);
      // A pattern that cannot be evaluated may have matched, so the name counts as known.
      if (matches !== false) isKnown = true;
      if (matches === true) run.apply(wanted, part, here, report);
    }
    if (!isKnown && rest === undefined) continue;
    seen?.names.add(name);
    if (isKnown) continue;
    if (rest === false) report.fail(here, () => unknownName(frame, name, value));
    else run.apply(rest, part, here, report);
  }
}

/** Suggests the most similar known name, or lists the known names. */
function unknownName({ schema, run }: Frame, name: string, value: SchemaObject): string {
  const known = Object.keys(mapAt(schema, 'properties'));
  run.spend(known.length);
  if (known.length === 0 || known.length > MAX_SUGGESTED_FROM) return 'is not known here';
  run.spend(known.length * COMPARED_STEPS);
  const unused = known.filter((one) => !Object.hasOwn(value, one));
  const [meant] = nearest(name, unused, 1);
  if (meant !== undefined) return `is not a known property; did you mean ${showValue(meant)}?`;
  return `is not a known property; known properties: ${showNames(known)}`;
}

function checkNames({ schema, path, report, run }: Frame, names: readonly string[]): void {
  const wanted = own(schema, 'propertyNames');
  if (wanted === undefined) return;
  for (const name of names) {
    if (report.isFull) return;
    const inner = report.fresh(Math.min(1, report.limit));
    if (run.apply(wanted, name, undefined, inner)) continue;
    const [fault] = inner.faults;
    report.fail(
      { parent: path, key: name },
      () => `has a name that is not allowed: it ${fault?.message ?? 'does not match'}`,
    );
  }
}

function checkDependencies(frame: Frame, value: SchemaObject): void {
  const { schema, path, report, run, seen } = frame;
  const words = run.isOld ? ['dependencies'] : ['dependentRequired', 'dependentSchemas', 'dependencies'];
  for (const word of words) {
    for (const [name, wanted] of Object.entries(mapAt(schema, word))) {
      run.spend(1);
      if (!Object.hasOwn(value, name)) continue;
      if (Array.isArray(wanted)) {
        const others = wanted.filter((other) => typeof other === 'string');
        requireNames(frame, value, others, `is missing, but required because of ${showValue(name)}`);
      } else if (isObject(wanted) || typeof wanted === 'boolean') run.apply(wanted, value, path, report, seen);
    }
  }
}

/** Checks the properties that no other keyword has evaluated; runs last. */
export function checkUnevaluatedProperties(frame: Frame, value: SchemaObject): void {
  const { schema, path, report, run, seen } = frame;
  const rest = own(schema, 'unevaluatedProperties');
  if (rest === undefined || !seen) return;
  for (const name of Object.keys(value)) {
    if (report.isFull) return;
    run.spend(1);
    if (seen.names.has(name)) continue;
    const here = { parent: path, key: name };
    if (rest === false) report.fail(here, () => unknownName(frame, name, value));
    else run.apply(rest, own(value, name), here, report);
    seen.names.add(name);
  }
}
