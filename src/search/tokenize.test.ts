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
    { title: 'a brand, also as one word', text: 'GitHub', words: ['git', 'hub', 'github'] },
    { title: 'short names with digits as one word', text: 's3 mp4 3d', words: ['s3', 'mp4', '3d'] },
    { title: 'digits after a word as a separate word', text: 'base64 top10', words: ['base', '64', 'top', '10'] },
    {
      title: 'words without the end after an apostrophe',
      text: "the user's files don’t",
      words: ['the', 'user', 'files', 'don'],
    },
    { title: 'letters without their accents', text: 'Größe café', words: ['große', 'cafe'] },
    { title: 'scripts without spaces as pairs of characters', text: '天气预报', words: ['天气', '气预', '预报'] },
    { title: 'two scripts in one run', text: '用GitHub搜索', words: ['用', 'git', 'hub', 'github', '搜索'] },
    {
      title: 'digits between two names',
      text: 'getS3Object parseHTML5Doc',
      words: ['get', 's3', 'object', 'parse', 'html', '5', 'doc'],
    },
    { title: 'no words in punctuation', text: '... — !? ()', words: [] },
    { title: 'no word of more than 40 characters', text: 'a'.repeat(41), words: [] },
  ])('reads $title', ({ text, words }) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('returns the position of each word', () => {
    const places: string[] = [];
    const text = 'Send an e-mail';
    eachWord(text, (word, start) => places.push(text.slice(start, start + word.length)));
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
