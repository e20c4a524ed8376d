import type { Frame } from '../check-frame.js';
import { describe, showList } from '../describe-schema.js';
import type { MismatchReport } from '../mismatch-report.js';
import { listAt, own } from '../schema-object.js';
import { pathText } from '../value-path.js';

const MAX_SHOWN_ALTERNATIVES = 6;

/** Checks the keywords that apply further schemas to the same value. */
export function checkChoices(frame: Frame): void {
  const { schema, value, path, report, run, seen } = frame;
  for (const part of listAt(schema, 'allOf')) {
    if (report.isFull) return;
    run.apply(part, value, path, report, seen);
  }
  for (const word of ['anyOf', 'oneOf'] as const) if (!report.isFull) checkAlternatives(frame, word);
  if (Object.hasOwn(schema, 'not') && run.apply(own(schema, 'not'), value, path, report.fresh(0)))
    report.fail(path, () => `must not be ${describe(own(schema, 'not'), run)}`);
  if (Object.hasOwn(schema, 'if')) {
    const word = run.apply(own(schema, 'if'), value, path, report.fresh(0), seen) ? 'then' : 'else';
    if (Object.hasOwn(schema, word)) run.apply(own(schema, word), value, path, report, seen);
  }
}

function checkAlternatives(frame: Frame, word: 'anyOf' | 'oneOf'): void {
  const { schema, value, path, report, run, seen } = frame;
  const alternatives = listAt(schema, word);
  if (alternatives.length === 0) return;
  const fitting: number[] = [];
  const reports: MismatchReport[] = [];
  for (const [n, alternative] of alternatives.entries()) {
    const inner = report.fresh();
    reports.push(inner);
    if (run.apply(alternative, value, path, inner, seen)) fitting.push(n);
    // One match is enough, except for `oneOf` and if evaluated parts must be collected.
    if (fitting.length > (word === 'oneOf' ? 1 : 0) && !seen) break;
  }
  if (fitting.length === 0) tellNearest(frame, alternatives, reports);
  else if (word === 'oneOf' && fitting.length > 1)
    report.fail(path, () => {
      const shown = fitting.map((n) => `(${n + 1}) ${describe(alternatives[n], run)}`);
      return `matches more than one of the alternatives, but must match exactly one: ${showList(shown, MAX_SHOWN_ALTERNATIVES)}`;
    });
}

/** If only one alternative has the type of the value, reports its mismatches; otherwise lists the alternatives. */
function tellNearest(
  { path, report, run }: Frame,
  alternatives: readonly unknown[],
  reports: readonly MismatchReport[],
): void {
  const here = pathText(report.limit > 0 ? path : undefined);
  const isNear = ({ faults }: MismatchReport): boolean =>
    !faults.some((fault) => fault.isOtherKind && isClose(fault.path, here));
  const near = reports.filter(isNear);
  const [meant] = near;
  if (report.limit > 0 && meant && near.length === 1 && meant.faults.length > 0) {
    report.adopt(meant.faults);
    return;
  }
  report.fail(
    path,
    () => {
      const shown = [...new Set(alternatives.slice(0, MAX_SHOWN_ALTERNATIVES).map((one) => describe(one, run)))];
      const others = alternatives.length - MAX_SHOWN_ALTERNATIVES;
      return `must be ${shown.length > 1 ? 'one of: ' : ''}${shown.join('; ')}${others > 0 ? `; or ${others} more` : ''}`;
    },
    near.length === 0,
  );
}

/** The value itself or one of its own properties: a type mismatch further down does not rule out the alternative. */
function isClose(path: string, here: string): boolean {
  if (path === here) return true;
  const below = path.slice(here.length).replace(/^\./, '');
  return path.startsWith(here) && !/[.[]/.test(below);
}
