import { describe, expect, it } from 'vitest';
import { pipeFlags } from './pipe-flags.js';

describe('pipeFlags', () => {
  it.each([
    { title: 'nothing', args: [], expected: {} },
    {
      title: 'both spellings',
      args: ['--daemon=auto', '--expose', 'all'],
      expected: { daemon: 'auto', expose: 'all' },
    },
    { title: 'an empty value', args: ['--config='], expected: { config: '' } },
    { title: 'the last of two', args: ['--expose', 'a', '--expose', 'b'], expected: { expose: 'b' } },
    { title: 'a value with lines', args: ['--config=a\nb'], expected: { config: 'a\nb' } },
    { title: 'a flag of the program alone', args: ['--http'], expected: undefined },
    { title: 'a flag without its value', args: ['--expose'], expected: undefined },
    { title: 'a flag in the place of a value', args: ['--expose', '--daemon=auto'], expected: undefined },
    { title: 'a word', args: ['list'], expected: undefined },
    { title: 'what every object has', args: ['--constructor=x'], expected: undefined },
  ])('reads $title', ({ args, expected }) => {
    expect(pipeFlags(args)).toEqual(expected);
  });
});
