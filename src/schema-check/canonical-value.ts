import { isObject } from '../base/index.js';
import { own } from './schema-object.js';
import { Stop } from './stop-check.js';

const MAX_VALUE_DEPTH = 500;
const PART_STEPS = 4;

/**
 * A text that is the same for two values exactly if JSON Schema considers them equal. Takes linear time in the size of
 * the value.
 */
export function canonicalValue(value: unknown, spend: (steps: number) => void, depth = 0): string {
  if (depth > MAX_VALUE_DEPTH) throw new Stop('the arguments are nested too deep for comparison');
  spend(PART_STEPS);
  if (typeof value === 'string') {
    spend(value.length / 16);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalValue(item, spend, depth + 1)).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined';
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${canonicalValue(name, spend)}:${canonicalValue(own(value, name), spend, depth + 1)}`).join()}}`;
}

/** Returns whether a list contains an equal value; numbers and strings are compared without serialization. */
export function isAmong(value: unknown, list: readonly unknown[], spend: (steps: number) => void): boolean {
  spend(list.length / 4);
  if (typeof value !== 'object' || value === null) return list.includes(value);
  const text = canonicalValue(value, spend);
  return list.some((item) => typeof item === 'object' && item !== null && canonicalValue(item, spend) === text);
}
