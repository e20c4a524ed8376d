import { describe, expect, it } from 'vitest';
import { pythonAliases } from './python-alias.js';

describe('pythonAliases', () => {
  it.each([
    { title: 'plain names', names: ['echo', 'get-item'], aliases: { echo: 'echo', 'get-item': 'get_item' } },
    { title: 'a keyword', names: ['import', 'class'], aliases: { import: 'import_', class: 'class_' } },
    { title: 'a keyword in capitals', names: ['FROM'], aliases: { FROM: 'from_' } },
    {
      title: 'a keyword before a name that ends with an underscore',
      names: ['import', 'import_'],
      aliases: { import_: 'import_', import: 'import__2' },
    },
    { title: 'names with the same alias', names: ['a-b', 'a.b'], aliases: { 'a-b': 'a_b', 'a.b': 'a_b_2' } },
    { title: 'a leading digit', names: ['3d'], aliases: { '3d': '_3d' } },
    { title: 'no Latin letter', names: ['検索'], aliases: { 検索: '_' } },
  ])('makes identifiers of $title', ({ names, aliases }) => {
    expect(Object.fromEntries(pythonAliases(names))).toEqual(aliases);
  });
});
