import type { Frame } from '../check-frame.js';
import { showValue } from '../describe-schema.js';
import { own } from '../schema-object.js';

const MULTIPLE_STEPS = 20;

const numberAt = ({ schema }: Frame, word: string): number | undefined => {
  const value = own(schema, word);
  return typeof value === 'number' ? value : undefined;
};

/** Checks `minimum` and related keywords. In draft-04 `exclusiveMinimum` is a boolean beside `minimum`. */
export function checkNumber(frame: Frame, value: number): void {
  const { schema, path, report, run } = frame;
  const [least, most] = [numberAt(frame, 'minimum'), numberAt(frame, 'maximum')];
  const above = numberAt(frame, 'exclusiveMinimum') ?? (own(schema, 'exclusiveMinimum') === true ? least : undefined);
  const below = numberAt(frame, 'exclusiveMaximum') ?? (own(schema, 'exclusiveMaximum') === true ? most : undefined);
  const not = `but is ${value}`;
  if (above !== undefined && value <= above) report.fail(path, () => `must be more than ${above}, ${not}`);
  else if (least !== undefined && value < least) report.fail(path, () => `must be at least ${least}, ${not}`);
  if (below !== undefined && value >= below) report.fail(path, () => `must be less than ${below}, ${not}`);
  else if (most !== undefined && value > most) report.fail(path, () => `must be at most ${most}, ${not}`);
  const factor = numberAt(frame, 'multipleOf');
  if (factor === undefined || !(factor > 0)) return;
  run.spend(MULTIPLE_STEPS);
  if (!isMultiple(value, factor)) report.fail(path, () => `must be a multiple of ${showValue(factor)}, ${not}`);
}

/** Exact in decimal notation: 0.3 is a multiple of 0.1, although not in binary. */
function isMultiple(value: number, factor: number): boolean {
  if (!Number.isFinite(value) || !Number.isFinite(factor)) return true;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(factor)) return value % factor === 0;
  const [a, b] = [decimal(value), decimal(factor)];
  const exponent = Math.min(a.exponent, b.exponent);
  return (a.digits * 10n ** BigInt(a.exponent - exponent)) % (b.digits * 10n ** BigInt(b.exponent - exponent)) === 0n;
}

/** A JavaScript number has at most 17 digits and a small exponent, so this is always fast. */
function decimal(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(`${whole}${fraction}`), exponent: Number(exponent) - fraction.length };
}
