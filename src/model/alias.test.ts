import { describe, expect, it } from 'vitest';
import { toAlias } from './alias.js';

describe('toAlias', () => {
  it.each([
    { names: ['my-cool-server'], aliases: ['my_cool_server'] },
    { names: ['123service'], aliases: ['_123service'] },
    { names: ['GitHub'], aliases: ['github'] },
    { names: ['a -- b'], aliases: ['a_b'] },
    { names: ['plugin:x:y'], aliases: ['plugin_x_y'] },
    { names: ['é', '日本', ''], aliases: ['_', '__2', '__3'] },
    { names: ['a', 'A', 'a_2'], aliases: ['a', 'a_2', 'a_2_2'] },
    { names: ['a_2', 'a', 'A'], aliases: ['a_2', 'a', 'a_3'] },
    { names: ['1', '_1'], aliases: ['_1', '_1_2'] },
  ])('returns $aliases for $names', ({ names, aliases }) => {
    const taken = new Set<string>();
    const made = names.map((name) => {
      const alias = toAlias(name, taken);
      taken.add(alias);
      return alias;
    });
    expect(made).toEqual(aliases);
  });
});
