import { isObject, own } from './schema-object.js';
import { Stop } from './stop-check.js';

const MAX_VALUE_DEPTH = 500;
const PART_STEPS = 4;

/** A text that two values share exactly if JSON Schema calls them equal; it costs as many steps as the value has parts and letters. */
export function canonical(value: unknown, spend: (steps: number) => void, depth = 0): string {
  if (depth > MAX_VALUE_DEPTH) throw new Stop('the arguments are nested too deep to be compared');
  spend(PART_STEPS);
  if (typeof value === 'string') {
    spend(value.length / 16);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, spend, depth + 1)).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined';
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${canonical(name, spend)}:${canonical(own(value, name), spend, depth + 1)}`).join()}}`;
}

/** Whether a value equals any of a list's; a number or a word is found without writing anything out. */
export function isAmong(value: unknown, list: readonly unknown[], spend: (steps: number) => void): boolean {
  spend(list.length / 4);
  if (typeof value !== 'object' || value === null) return list.includes(value);
  const text = canonical(value, spend);
  return list.some((item) => typeof item === 'object' && item !== null && canonical(item, spend) === text);
}
