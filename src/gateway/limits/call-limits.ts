import { ErrorCode, isObject, PortolanError, writeJson } from '../../base/index.js';

/** Limits for each client and each server; the defaults are in the settings. */
export interface CallLimits {
  readonly maxArgumentBytes: number;
  readonly maxDepth: number;
  readonly inFlightPerClient: number;
  readonly inFlightPerServer: number;
  /** The number of calls that may wait, for each server and for each client. */
  readonly queue: number;
  readonly ratePerMinute: number;
}

/** The error of a refused call; the hint names the setting. */
export function exceeded(message: string, hint: string): PortolanError {
  return new PortolanError(ErrorCode.LimitExceeded, message, { hint });
}

/** One UTF-16 code unit takes at most this many bytes in UTF-8. */
const MOST_BYTES_PER_UNIT = 3;
const SMALLER = 'pass less data or split it over several calls; limits.maxArgumentBytes sets the limit';

/** Serializes the arguments after checking their size and depth. */
export function checkArguments(
  value: unknown,
  { maxArgumentBytes, maxDepth }: Pick<CallLimits, 'maxArgumentBytes' | 'maxDepth'>,
): { readonly text: string } {
  measure(value, maxArgumentBytes, maxDepth);
  const text = writeJson(value) ?? '{}';
  const isSurelySmall = text.length * MOST_BYTES_PER_UNIT <= maxArgumentBytes;
  if (!isSurelySmall && Buffer.byteLength(text) > maxArgumentBytes) throw tooLarge(maxArgumentBytes);
  return { text };
}

/** The fast path for most calls: an object of a few texts and numbers. */
function isFlat(value: unknown, maxBytes: number): boolean {
  if (!isObject(value)) return false;
  let least = 0;
  for (const name in value) {
    const inner = value[name];
    if (typeof inner === 'object' || typeof inner === 'function') return false;
    if (isUnwritable(inner)) throw noNumber(name);
    least += typeof inner === 'string' ? inner.length : 1;
  }
  return least <= maxBytes;
}

/**
 * Uses its own stack, because deep values overflow the call stack. Stops at more values than bytes allowed, because a
 * cyclic value, or one that refers to the same value many times, would never end.
 */
function measure(value: unknown, maxBytes: number, maxDepth: number): void {
  if (isFlat(value, maxBytes)) return;
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'string' && value.length > maxBytes) throw tooLarge(maxBytes);
    return;
  }
  const waiting: object[] = [value];
  const depths = [1];
  let least = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const depth = depths.pop() ?? 1;
    if (depth > maxDepth)
      throw exceeded(`the arguments are nested deeper than ${maxDepth} levels`, 'limits.maxDepth sets the limit');
    for (const inner of Object.values(next)) {
      least += 1;
      if (typeof inner === 'string') least += inner.length;
      else if (isUnwritable(inner)) throw noNumber(nameOf(next, inner));
      else if (typeof inner === 'object' && inner !== null) {
        waiting.push(inner);
        depths.push(depth + 1);
      }
      if (least > maxBytes) throw tooLarge(maxBytes);
    }
  }
}

/** JSON writes some numbers as null, and has no form at all for a bigint, which a caller of the library can pass. */
function isUnwritable(value: unknown): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value));
}

function nameOf(object: object, inner: unknown): string {
  return Object.entries(object).find(([, value]) => Object.is(value, inner))?.[0] ?? '';
}

function noNumber(name: string): PortolanError {
  return new PortolanError(
    ErrorCode.ToolValidationError,
    `the arguments do not match the input schema: ${name} is a number that JSON cannot represent`,
    {
      hint: 'JSON numbers go up to 1.8e308; pass the number as a string if the tool accepts one',
    },
  );
}

function tooLarge(maxBytes: number): PortolanError {
  return exceeded(`the arguments are larger than ${maxBytes} bytes`, SMALLER);
}
