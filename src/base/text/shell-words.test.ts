import { describe, expect, it } from 'vitest';
import { commandsIn, quoted, shellWord, splitWords } from './shell-words.js';

describe('splitWords', () => {
  it.each([
    { line: 'npx -y  server', words: ['npx', '-y', 'server'] },
    { line: `run "two words" 'and more'`, words: ['run', 'two words', 'and more'] },
    { line: `--name="a b"c`, words: ['--name=a bc'] },
    { line: String.raw`say "a \"quoted\" word"`, words: ['say', 'a "quoted" word'] },
    {
      line: String.raw`"C:\Program Files\node.exe" C:\x\y.js`,
      words: [String.raw`C:\Program Files\node.exe`, String.raw`C:\x\y.js`],
    },
    { line: 'start "" node', words: ['start', '', 'node'] },
    { line: "it's not closed", words: ['its', 'not', 'closed'] },
    { line: ' \t ', words: [] },
  ])('splits $line', ({ line, words }) => {
    expect(splitWords(line)).toEqual(words);
  });

  it('takes linear time for any number of quotes', () => {
    const begin = performance.now();
    splitWords(String.raw`"\"`.repeat(300_000));
    splitWords(`"'`.repeat(300_000));
    expect(performance.now() - begin).toBeLessThan(5000);
  });
});

describe('commandsIn', () => {
  it.each([
    {
      script: 'cd /srv && node a.js',
      commands: [
        ['cd', '/srv'],
        ['node', 'a.js'],
      ],
    },
    { script: 'a; b | c || d & e', commands: [['a'], ['b'], ['c'], ['d'], ['e']] },
    { script: `echo "a && b; c"`, commands: [['echo', 'a && b; c']] },
    { script: 'npx \\\n  -y server\nnext', commands: [['npx', '-y', 'server'], ['next']] },
    { script: '(a b)', commands: [['a', 'b']] },
  ])('finds the commands of $script', ({ script, commands }) => {
    expect(commandsIn(script)).toEqual(commands);
  });
});

describe('quoted', () => {
  it.each([
    ['plain', 'plain'],
    ['two words', '"two words"'],
    ['has "quotes" already', 'has "quotes" already'],
  ])('quotes %s as %s', (word, expected) => {
    expect(quoted(word)).toBe(expected);
  });
});

describe('shellWord', () => {
  it.each([
    { name: 'github', word: 'github' },
    { name: '@scope/server-1.2', word: '@scope/server-1.2' },
    { name: 'My Server', word: `'My Server'` },
    { name: "it's; rm -rf $HOME", word: `'it'\\''s; rm -rf $HOME'` },
    { name: '', word: `''` },
  ])('quotes $name as one word for a shell', ({ name, word }) => {
    expect(shellWord(name)).toBe(word);
  });
});
