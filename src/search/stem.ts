/** The English stemmer of M. Porter ("Porter 2"), so that what was asked and what was written meet in one form. */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const known = IRREGULAR.get(word);
  if (known !== undefined) return known;
  // A `y` that is a consonant is written large while the rules are run.
  const marked = word.replace(/^y/, 'Y').replaceAll(/([aeiouy])y/g, '$1Y');
  const r1 = regionOne(marked);
  const r2 = regionAfter(marked, r1);
  const shortened = derived(inflected(plural(marked), r1), r1, r2);
  return lastLetter(shortened, r1, r2).toLowerCase();
}

/** Words that the rules would tear apart or throw together. */
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['skis', 'ski'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['news', 'news'],
  ['sent', 'send'],
  ['bought', 'buy'],
  ['paid', 'pay'],
  ['found', 'find'],
  ['written', 'write'],
  ['wrote', 'write'],
  ['spent', 'spend'],
  ['sold', 'sell'],
  ['built', 'build'],
  ['drew', 'draw'],
  ['drawn', 'draw'],
  ['children', 'child'],
  ['people', 'person'],
  ['mice', 'mouse'],
  ['indices', 'index'],
  ['indexes', 'index'],
  ['data', 'data'],
  ['media', 'media'],
  ['weather', 'weather'],
]);

const VOWEL = /[aeiouy]/;
const DOUBLE = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;

function regionOne(word: string): number {
  const prefix = /^(?:gener|commun|arsen|univers|organ|inter)/.exec(word)?.[0];
  return prefix === undefined ? regionAfter(word, 0) : prefix.length;
}

/** Where the text after the first consonant that follows a vowel begins. */
function regionAfter(word: string, from: number): number {
  const found = /[aeiouy][^aeiouy]/.exec(word.slice(from));
  return found ? from + found.index + 2 : word.length;
}

function endsShort(word: string): boolean {
  return /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/.test(word);
}

function plural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (/ie[ds]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  if (/(?:us|ss)$/.test(word)) return word;
  return /[aeiouy].+s$/.test(word) ? word.slice(0, -1) : word;
}

function inflected(word: string, r1: number): string {
  const eed = /eed(?:ly)?$/.exec(word);
  if (eed) return eed.index >= r1 ? `${word.slice(0, eed.index)}ee` : word;
  const ending = /(?:ed|ing)(?:ly)?$/.exec(word);
  let result = word;
  if (ending && VOWEL.test(word.slice(0, ending.index))) {
    const rest = word.slice(0, ending.index);
    if (/(?:at|bl|iz)$/.test(rest)) result = `${rest}e`;
    else if (DOUBLE.test(rest)) result = rest.slice(0, -1);
    else if (rest.length <= r1 && endsShort(rest)) result = `${rest}e`;
    else result = rest;
  }
  return /.[^aeiouy][yY]$/.test(result) ? `${result.slice(0, -1)}i` : result;
}

type Ending = readonly [ending: string, instead: string];

const LONG_ENDINGS: readonly Ending[] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
];
const SHORTER_ENDINGS: readonly Ending[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];
const LAST_ENDINGS = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|(?<=[st])ion)$/;

function derived(word: string, r1: number, r2: number): string {
  let result = replaceEnding(word, LONG_ENDINGS, r1);
  result = replaceEnding(result, SHORTER_ENDINGS, r1);
  if (result.endsWith('ative') && result.length - 5 >= r2) result = result.slice(0, -5);
  const last = LAST_ENDINGS.exec(result);
  return last && last.index >= r2 ? result.slice(0, last.index) : result;
}

function replaceEnding(word: string, endings: readonly Ending[], region: number): string {
  const found = endings.find(([ending]) => word.endsWith(ending));
  if (!found || word.length - found[0].length < region) return word;
  return word.slice(0, -found[0].length) + found[1];
}

function lastLetter(word: string, r1: number, r2: number): string {
  const at = word.length - 1;
  if (word.endsWith('e') && (at >= r2 || (at >= r1 && !endsShort(word.slice(0, -1))))) return word.slice(0, -1);
  return word.endsWith('ll') && at >= r2 ? word.slice(0, -1) : word;
}
