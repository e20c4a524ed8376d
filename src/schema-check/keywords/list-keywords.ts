import { canonicalValue } from '../canonical-value.js';
import type { Frame } from '../check-frame.js';
import { describe } from '../describe-schema.js';
import { own } from '../schema-object.js';

const items = (length: number): string => (length === 1 ? '1 item' : `${length} items`);

/**
 * Checks the list keywords in both notations: `prefixItems` with `items`, and `items` as a list with `additionalItems`.
 */
export function checkList(frame: Frame, value: readonly unknown[]): void {
  const { schema, path, report } = frame;
  const [least, most] = [own(schema, 'minItems'), own(schema, 'maxItems')];
  if (typeof least === 'number' && value.length < least)
    report.fail(path, () => `must have at least ${items(least)}, but has ${value.length}`);
  if (typeof most === 'number' && value.length > most)
    report.fail(path, () => `must have at most ${items(most)}, but has ${value.length}`);
  if (own(schema, 'uniqueItems') === true) checkUnique(frame, value);
  checkItems(frame, value);
  if (Object.hasOwn(schema, 'contains')) checkContains(frame, value);
}

function checkItems(frame: Frame, value: readonly unknown[]): void {
  const { schema, run, path, report, seen } = frame;
  const written = own(schema, 'items');
  const tuple = Array.isArray(written) ? written : run.isOld ? [] : own(schema, 'prefixItems');
  const rest = Array.isArray(written) ? own(schema, 'additionalItems') : written;
  const first: readonly unknown[] = Array.isArray(tuple) ? tuple : [];
  const end = rest === undefined ? Math.min(first.length, value.length) : value.length;
  for (let n = 0; n < end && !report.isFull; n += 1) {
    if (n >= first.length && rest === false) {
      report.fail(
        { parent: path, key: n },
        () => `is beyond the end: the list may have at most ${items(first.length)}`,
      );
      return;
    }
    run.apply(n < first.length ? first[n] : rest, value[n], { parent: path, key: n }, report);
    seen?.items.add(n);
  }
}

/** Compares canonical texts, so that the time is linear in the size of the list. */
function checkUnique({ path, report, run }: Frame, value: readonly unknown[]): void {
  const known = new Map<string, number>();
  for (const [n, item] of value.entries()) {
    const text = canonicalValue(item, run.spend);
    const same = known.get(text);
    if (same !== undefined) {
      report.fail({ parent: path, key: n }, () => `is the same as item ${same}: all items must be different`);
      return;
    }
    known.set(text, n);
  }
}

function checkContains({ schema, path, report, run, seen }: Frame, value: readonly unknown[]): void {
  const wanted = own(schema, 'contains');
  const [least, most] = run.isOld ? [] : [own(schema, 'minContains'), own(schema, 'maxContains')];
  const min = typeof least === 'number' ? least : 1;
  const max = typeof most === 'number' ? most : Number.POSITIVE_INFINITY;
  let found = 0;
  for (const [n, item] of value.entries()) {
    if (!run.apply(wanted, item, undefined, report.fresh(0))) continue;
    found += 1;
    seen?.items.add(n);
    if (!seen && found >= min && max === Number.POSITIVE_INFINITY) return;
  }
  const what = (): string => describe(wanted, run);
  if (found < min) report.fail(path, () => `must contain ${what()}${min > 1 ? ` ${min} times` : ''}`);
  if (found > max) report.fail(path, () => `must contain ${what()} at most ${max === 1 ? 'once' : `${max} times`}`);
}

/** Checks the items that no other keyword has evaluated; runs last. */
export function checkUnevaluatedItems({ schema, path, report, run, seen }: Frame, value: readonly unknown[]): void {
  const rest = own(schema, 'unevaluatedItems');
  if (rest === undefined || !seen) return;
  for (let n = 0; n < value.length && !report.isFull; n += 1) {
    run.spend(1);
    if (seen.items.has(n)) continue;
    if (rest === false) report.fail({ parent: path, key: n }, () => 'is not known here');
    else run.apply(rest, value[n], { parent: path, key: n }, report);
    seen.items.add(n);
  }
}
