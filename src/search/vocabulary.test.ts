import { describe, expect, it } from 'vitest';
import { editsBetween, NO_TERM, Vocabulary } from './vocabulary.js';

function knowing(...words: string[]): Vocabulary {
  const vocabulary = new Vocabulary();
  for (const word of words) vocabulary.learn(word);
  return vocabulary;
}

describe('Vocabulary', () => {
  it('gives all forms of a word one number, and stop words none', () => {
    const vocabulary = new Vocabulary();
    expect(['issue', 'issues', 'the', 'pull'].map((word) => vocabulary.learn(word))).toEqual([0, 0, NO_TERM, 1]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('learns %s like any other word', (word) => {
    const vocabulary = knowing('first');
    expect(vocabulary.findWord(word)).toBeUndefined();
    expect(vocabulary.learn(word)).toBe(1);
    expect(vocabulary.findWord(word)).toBe(1);
  });

  it.each([
    { title: 'a missing letter', typo: 'screenhot', known: ['screenshot', 'screen'], found: [0] },
    { title: 'a surplus letter', typo: 'weeather', known: ['weather', 'leather'], found: [0] },
    { title: 'two swapped letters', typo: 'calcualte', known: ['calculate', 'calendar'], found: [0] },
    {
      title: 'a wrong letter, with all candidates',
      typo: 'bork',
      known: ['fork', 'bark', 'cat'],
      found: [0, 1],
    },
    { title: 'two wrong letters in a long word', typo: 'kubernitis', known: ['kubernetes'], found: [0] },
    { title: 'nothing for a word of three letters', typo: 'gti', known: ['git'], found: [] },
    { title: 'nothing for two wrong letters in a short word', typo: 'forrt', known: ['fork'], found: [] },
  ])('corrects $title', ({ typo, known, found }) => {
    const terms = knowing(...known).corrections(typo);
    expect(terms.map(({ term }) => term)).toEqual(found);
  });
});

describe('editsBetween', () => {
  it.each([
    ['same', 'same', 0],
    ['abcd', 'abdc', 1],
    ['abcd', 'abc', 1],
    ['abcd', 'xbcd', 1],
    ['abcd', 'badc', 2],
    ['abcd', 'wxyz', 3],
  ])('from %s to %s is %d, or 3 for more than 2', (one, other, edits) => {
    expect(editsBetween(one, other, 2)).toBe(edits);
  });
});
