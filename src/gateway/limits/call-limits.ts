import { ErrorCode, isObject, PortolanError, writeJson } from '../../base/index.js';

/** How much one client may ask, and one server may be asked; see the defaults of the settings. */
export interface Limits {
  readonly maxArgumentBytes: number;
  readonly maxDepth: number;
  readonly inFlightPerClient: number;
  readonly inFlightPerServer: number;
  /** Calls that may wait, for each server and for each client. */
  readonly queue: number;
  readonly ratePerMinute: number;
}

/** What a refused caller is told, with the name of the limit as it is set. */
export function exceeded(message: string, hint: string): PortolanError {
  return new PortolanError(ErrorCode.LimitExceeded, message, { hint });
}

/** No character of JSON is longer in UTF-8, counted in units of UTF-16. */
const MOST_BYTES_PER_UNIT = 3;
const SMALLER = 'pass less, or several calls; limits.maxArgumentBytes sets the limit';

/** The arguments as text, once it is sure that they are neither too large nor too deep to be written and read again. */
export function checkArguments(
  value: unknown,
  { maxArgumentBytes, maxDepth }: Pick<Limits, 'maxArgumentBytes' | 'maxDepth'>,
): { readonly text: string } {
  measure(value, maxArgumentBytes, maxDepth);
  const text = writeJson(value) ?? '{}';
  const isSurelySmall = text.length * MOST_BYTES_PER_UNIT <= maxArgumentBytes;
  if (!isSurelySmall && Buffer.byteLength(text) > maxArgumentBytes) throw tooLarge(maxArgumentBytes);
  return { text };
}

/** A few texts and numbers, as in most calls, which are neither too large nor deep. */
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
 * Walks with a list of its own, because deep values overflow the stack, and stops once there are more values than bytes
 * allowed, because a value that holds itself, or one many times, never ends.
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

/** JSON says null in the place of some numbers, and a program that uses the library can pass one that it has no word for. */
function isUnwritable(value: unknown): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value));
}

function nameOf(object: object, inner: unknown): string {
  return Object.entries(object).find(([, value]) => Object.is(value, inner))?.[0] ?? '';
}

function noNumber(name: string): PortolanError {
  return new PortolanError(
    ErrorCode.ToolValidationError,
    `the arguments do not fit: ${name} is no number that JSON can carry`,
    {
      hint: 'numbers go up to 1.8e308; pass it as text if the tool takes that',
    },
  );
}

function tooLarge(maxBytes: number): PortolanError {
  return exceeded(`the arguments are larger than ${maxBytes} bytes`, SMALLER);
}
