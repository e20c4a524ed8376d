import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import type { Definition, Scope, State } from '../model/index.js';
import { resolveDefinitions } from './resolve-definitions.js';

/** `line` identifies the definition; each has a line of its own. */
type Written = Partial<Definition> & { readonly line: number };

interface Outcome {
  readonly name: string;
  readonly active: number;
  /** The other definitions of the same server. */
  readonly same?: readonly number[];
  readonly shadowed?: readonly number[];
}

function settled(written: readonly Written[]): Outcome[] {
  return resolveDefinitions(written.map(definition), ({ state }) => state).servers.map(
    ({ name, definition: active, duplicates, shadowed }) => {
      const same = duplicates.filter((one) => one !== active).map(({ line }) => line);
      return {
        name,
        active: active.line,
        ...(same.length > 0 && { same }),
        ...(shadowed.length > 0 && { shadowed: shadowed.map(({ line }) => line) }),
      };
    },
  );
}

/** A different server for each letter. */
const at = (letter: string): Partial<Definition> => ({ url: `https://${letter}.example/` });
const A = at('a');
const B = at('b');
const C = at('c');

interface Case {
  readonly title: string;
  readonly found: readonly Written[];
  readonly holds: readonly Outcome[];
}

function both(title: string, found: readonly Written[], holds: readonly Outcome[]): Case {
  return { title, found, holds };
}

describe('scopes', () => {
  const ORDER: readonly (readonly Scope[])[] = [
    ['claudeai'],
    ['plugin'],
    ['user', 'profile', 'extension'],
    ['project', 'agent', 'server'],
    ['local'],
    ['dynamic'],
    ['managed'],
  ];
  const pairs = ORDER.flatMap((lower, n) =>
    lower.flatMap((low) => ORDER.slice(n + 1).flatMap((higher) => higher.map((high) => ({ low, high })))),
  );

  it.each(pairs)('$high holds over $low, whichever is found first', ({ low, high }) => {
    const lowOne = { line: 1, scope: low, ...A };
    const highOne = { line: 2, scope: high, ...B };
    expect(settled([lowOne, highOne])).toEqual([{ name: 'a', active: 2, shadowed: [1] }]);
    expect(settled([highOne, lowOne])).toEqual([{ name: 'a', active: 2, shadowed: [1] }]);
  });

  it.each<Case>([
    both(
      'within one scope the place with the higher precedence is active',
      [
        { line: 1, precedence: 10, ...A },
        { line: 2, precedence: 30, ...B },
        { line: 3, precedence: 20, ...C },
      ],
      [{ name: 'a', active: 2, shadowed: [1, 3] }],
    ),
    both(
      'the scope counts before the precedence of the place',
      [
        { line: 1, scope: 'project', precedence: 1, ...A },
        { line: 2, scope: 'user', precedence: 99, ...B },
      ],
      [{ name: 'a', active: 1, shadowed: [2] }],
    ),
    both(
      'among equals the first found is active',
      [
        { line: 1, ...A },
        { line: 2, ...B },
      ],
      [{ name: 'a', active: 1, shadowed: [2] }],
    ),
    both(
      'a name in one client does not shadow it in another client',
      [
        { line: 1, client: 'cursor', scope: 'user', ...A },
        { line: 2, client: 'zed', scope: 'local', ...B },
      ],
      [
        { name: 'a', active: 1 },
        { name: 'a_2', active: 2 },
      ],
    ),
    both(
      'names are case-sensitive',
      [
        { line: 1, name: 'a', ...A },
        { line: 2, name: 'A', scope: 'local', ...B },
      ],
      [
        { name: 'a', active: 1 },
        { name: 'A', active: 2 },
      ],
    ),
    both(
      'a server from the command line shadows its name in every client',
      [
        { line: 1, client: 'cursor', scope: 'project', ...A },
        { line: 2, client: 'cursor', scope: 'user', ...C },
        { line: 3, client: 'portolan', scope: 'dynamic', ...B },
      ],
      [{ name: 'a', active: 3, shadowed: [1, 2] }],
    ),
    both(
      'a managed server shadows even that',
      [
        { line: 1, client: 'portolan', scope: 'dynamic', ...A },
        { line: 2, client: 'codex', scope: 'managed', ...B },
        { line: 3, client: 'cursor', ...C },
      ],
      [{ name: 'a', active: 2, shadowed: [1, 3] }],
    ),
    both(
      'among two managed servers the first is active',
      [
        { line: 1, client: 'codex', scope: 'managed', ...A },
        { line: 2, client: 'amp', scope: 'managed', ...B },
      ],
      [{ name: 'a', active: 1, shadowed: [2] }],
    ),
    both(
      'managed servers of other names shadow nothing',
      [
        { line: 1, client: 'codex', scope: 'managed', name: 'b', ...B },
        { line: 2, ...A },
      ],
      [
        { name: 'b', active: 1 },
        { name: 'a', active: 2 },
      ],
    ),
    both(
      'a server disabled in the scope with higher precedence stays disabled',
      [
        { line: 1, scope: 'user', ...A },
        { line: 2, scope: 'local', state: 'disabled', ...B },
      ],
      [{ name: 'a', active: 2, shadowed: [1] }],
    ),
  ])('$title', ({ found, holds }) => {
    expect(settled(found)).toEqual(holds);
  });

  it.each<State>(['rejected', 'blocked-by-policy', 'client-ignores', 'inventory-only'])(
    'an entry that is %s shadows nothing, neither in its client nor in others',
    (state) => {
      const near: Written = { line: 2, scope: 'local', state, ...B };
      expect(settled([{ line: 1, ...A }, near])).toEqual([{ name: 'a', active: 1, shadowed: [2] }]);
      expect(settled([near, { line: 1, ...A }])).toEqual([{ name: 'a', active: 1, shadowed: [2] }]);
      const everywhere: Written = { line: 2, client: 'codex', scope: 'managed', state, ...B };
      expect(settled([{ line: 1, ...A }, everywhere])).toEqual([
        { name: 'a', active: 1 },
        { name: 'a_2', active: 2 },
      ]);
    },
  );
});

describe('identity', () => {
  const cursor: Partial<Definition> = { client: 'cursor' };
  const zed: Partial<Definition> = { client: 'zed' };
  const plugin: Partial<Definition> = { client: 'claude-code', scope: 'plugin' };
  const connector: Partial<Definition> = { client: 'claude-code', scope: 'claudeai' };

  it.each<Case>([
    both(
      'one server in several clients gets its first name',
      [
        { line: 1, name: 'one', ...cursor, ...A },
        { line: 2, name: 'two', ...zed, ...A },
        { line: 3, name: 'two', client: 'warp', ...A },
      ],
      [{ name: 'one', active: 1, same: [2, 3] }],
    ),
    both(
      'a definition that can be approved has precedence over one that its client only lists',
      [
        { line: 1, ...cursor, state: 'inventory-only', scope: 'project', ...A },
        { line: 2, ...zed, state: 'pending-approval', scope: 'project', ...A },
      ],
      [{ name: 'a', active: 2, same: [1] }],
    ),
    both(
      'the definition that may run is active, and the one it shadows stays visible',
      [
        { line: 1, ...cursor, state: 'disabled', ...A },
        { line: 2, name: 'z', ...zed, scope: 'user', ...B },
        { line: 3, name: 'z', ...zed, scope: 'project', ...A },
      ],
      [{ name: 'z', active: 3, same: [1], shadowed: [2] }],
    ),
    both(
      'a definition of the user has precedence over that of a plugin, in either order',
      [
        { line: 1, name: 'p', ...plugin, ...A },
        { line: 2, ...cursor, ...A },
      ],
      [{ name: 'a', active: 2, same: [1] }],
    ),
    both(
      'this includes a disabled definition of the user',
      [
        { line: 1, name: 'p', ...plugin, ...A },
        { line: 2, ...cursor, state: 'disabled', ...A },
      ],
      [{ name: 'a', active: 2, same: [1] }],
    ),
    both(
      'an unapproved definition of a repository does not replace that of a plugin',
      [
        { line: 1, name: 'p', ...plugin, ...A },
        { line: 2, ...cursor, scope: 'project', state: 'pending-approval', ...A },
      ],
      [{ name: 'p', active: 1, same: [2] }],
    ),
    both(
      'nor that of the user',
      [
        { line: 1, ...cursor, scope: 'project', state: 'pending-approval', ...A },
        { line: 2, name: 'mine', ...zed, ...A },
      ],
      [{ name: 'mine', active: 2, same: [1] }],
    ),
    both(
      'the first plugin has precedence over the second',
      [
        { line: 1, name: 'p', ...plugin, ...A },
        { line: 2, name: 'q', ...plugin, ...A },
      ],
      [{ name: 'p', active: 1, same: [2] }],
    ),
    both(
      'a connector is dropped in favour of a configured duplicate',
      [
        { line: 1, name: 'c', ...connector, ...A },
        { line: 2, ...cursor, ...A },
      ],
      [{ name: 'a', active: 2, same: [1] }],
    ),
    both(
      'a connector stays beside a disabled duplicate',
      [
        { line: 1, ...cursor, state: 'disabled', ...A },
        { line: 2, name: 'c', ...connector, ...A },
      ],
      [
        { name: 'a', active: 1 },
        { name: 'c', active: 2 },
      ],
    ),
    both(
      'a connector stays beside an unapproved duplicate',
      [
        { line: 1, ...cursor, scope: 'project', state: 'pending-approval', ...A },
        { line: 2, name: 'c', ...connector, ...A },
      ],
      [
        { name: 'a', active: 1 },
        { name: 'c', active: 2 },
      ],
    ),
    both(
      'a connector stays beside a duplicate of a plugin, which still replaces that of a second plugin',
      [
        { line: 1, name: 'c', ...connector, ...A },
        { line: 2, name: 'p', ...plugin, ...A },
        { line: 3, name: 'q', ...plugin, ...A },
      ],
      [
        { name: 'c', active: 1 },
        { name: 'p', active: 2, same: [3] },
      ],
    ),
    both(
      'one enabled duplicate among several is enough to drop a connector',
      [
        { line: 1, ...cursor, state: 'disabled', ...A },
        { line: 2, name: 'c', ...connector, ...A },
        { line: 3, name: 'z', ...zed, ...A },
      ],
      [{ name: 'z', active: 3, same: [1, 2] }],
    ),
    both(
      'two accounts are two servers',
      [
        { line: 1, ...cursor, ...A, headers: { Authorization: '1' } },
        { line: 2, ...zed, ...A, headers: { Authorization: '2' } },
      ],
      [
        { name: 'a', active: 1 },
        { name: 'a_2', active: 2 },
      ],
    ),
    both(
      'a generated name is never the name of another server',
      [
        { line: 1, ...cursor, ...A },
        { line: 2, ...zed, ...B },
        { line: 3, name: 'a_2', ...cursor, ...C },
        { line: 4, client: 'warp', ...at('d') },
        { line: 5, name: 'a_2', ...zed, ...at('e') },
      ],
      [
        { name: 'a', active: 1 },
        { name: 'a_3', active: 2 },
        { name: 'a_2', active: 3 },
        { name: 'a_4', active: 4 },
        { name: 'a_2_2', active: 5 },
      ],
    ),
  ])('$title', ({ found, holds }) => {
    expect(settled(found)).toEqual(holds);
  });

  it('gives ten thousand servers of one name different names', () => {
    const found = Array.from({ length: 10_000 }, (_, n) => ({ line: n + 1, client: `c${n}`, ...at(`s${n}`) }));
    const names = settled(found).map(({ name }) => name);
    expect([new Set(names).size, names[0], names[1], names.at(-1)]).toEqual([10_000, 'a', 'a_2', 'a_10000']);
  });
});
