import { describe, expect, it } from 'vitest';
import { eachWord, nameKey } from './tokenize.js';

function wordsOf(text: string): string[] {
  const words: string[] = [];
  eachWord(text, (word) => words.push(word));
  return words;
}

describe('eachWord', () => {
  it.each([
    { title: 'snake case', text: 'get_user_id', words: ['get', 'user', 'id'] },
    { title: 'camel case', text: 'getUserId', words: ['get', 'user', 'id'] },
    { title: 'kebab case', text: 'get-user-id', words: ['get', 'user', 'id'] },
    { title: 'an abbreviation in a name', text: 'parseHTMLPage', words: ['parse', 'html', 'page'] },
    { title: 'a brand, which is also one word', text: 'GitHub', words: ['git', 'hub', 'github'] },
    { title: 'short names with digits as they are', text: 's3 mp4 3d', words: ['s3', 'mp4', '3d'] },
    { title: 'digits after a word as their own', text: 'base64 top10', words: ['base', '64', 'top', '10'] },
    { title: 'what is left of an apostrophe', text: "the user's files don’t", words: ['the', 'user', 'files', 'don'] },
    { title: 'letters without their accents', text: 'Größe café', words: ['große', 'cafe'] },
    { title: 'scripts without spaces, two by two', text: '天气预报', words: ['天气', '气预', '预报'] },
    { title: 'nothing in punctuation', text: '... — !? ()', words: [] },
    { title: 'nothing in a key as long as a line', text: 'a'.repeat(41), words: [] },
  ])('reads $title', ({ text, words }) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('tells where each word stands, so that it can be marked', () => {
    const places: string[] = [];
    const text = 'Send an e-mail';
    eachWord(text, (_, start, end) => places.push(text.slice(start, end)));
    expect(places).toEqual(['Send', 'an', 'e', 'mail']);
  });
});

describe('nameKey', () => {
  it.each(['createIssue', 'create_issue', 'create-issue', 'Create Issue', 'create.issue', 'CREATE__ISSUE'])(
    'is the same for %s as for the others',
    (name) => {
      expect(nameKey(name)).toBe('createissue');
    },
  );
});
