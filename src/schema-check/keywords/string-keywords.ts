import type { Frame } from '../check-frame.js';
import { showValue } from '../describe-schema.js';
import { own } from '../schema-object.js';

/**
 * Checks the length in Unicode characters, and `pattern`. Ignores `format`, because servers disagree about its meaning.
 */
export function checkString({ schema, path, report, run }: Frame, value: string): void {
  const [least, most] = [own(schema, 'minLength'), own(schema, 'maxLength')];
  if (typeof least === 'number' || typeof most === 'number') {
    run.spend(value.length / 16);
    const length = characters(value);
    if (typeof least === 'number' && length < least)
      report.fail(path, () => `must have at least ${count(least)}, but has ${length}`);
    if (typeof most === 'number' && length > most)
      report.fail(path, () => `must have at most ${count(most)}, but has ${length}`);
  }
  const pattern = own(schema, 'pattern');
  if (typeof pattern === 'string' && run.matches(pattern, value) === false)
    report.fail(path, () => `must match the pattern ${pattern.slice(0, 200)}, but is ${showValue(value)}`);
}

const count = (length: number): string => (length === 1 ? '1 character' : `${length} characters`);

function characters(text: string): number {
  let length = text.length;
  for (let n = 0; n < text.length - 1; n += 1) {
    if ((text.charCodeAt(n) & 0xfc00) === 0xd800 && (text.charCodeAt(n + 1) & 0xfc00) === 0xdc00) length -= 1;
  }
  return length;
}
