import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import type { Definition, Scope, State } from '../model/index.js';
import { resolveDefinitions } from './resolve-definitions.js';

/** `line` is the definition's mark: every test writes each on a line of its own. */
type Said = Partial<Definition> & { readonly line: number };

interface Outcome {
  readonly name: string;
  readonly active: number;
  /** The other definitions of the same server. */
  readonly same?: readonly number[];
  readonly shadowed?: readonly number[];
}

function settled(said: readonly Said[]): Outcome[] {
  return resolveDefinitions(said.map(definition), ({ state }) => state).map(({ name, active, origins, shadowed }) => {
    const same = origins.filter((one) => one !== active).map(({ line }) => line);
    return {
      name,
      active: active.line,
      ...(same.length > 0 && { same }),
      ...(shadowed.length > 0 && { shadowed: shadowed.map(({ line }) => line) }),
    };
  });
}

/** Different servers, unless they are of one letter. */
const at = (letter: string): Partial<Definition> => ({ url: `https://${letter}.example/` });
const A = at('a');
const B = at('b');
const C = at('c');

interface Case {
  readonly title: string;
  readonly found: readonly Said[];
  readonly holds: readonly Outcome[];
}

function both(title: string, found: readonly Said[], holds: readonly Outcome[]): Case {
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
      'within one scope the place with more weight holds',
      [
        { line: 1, precedence: 10, ...A },
        { line: 2, precedence: 30, ...B },
        { line: 3, precedence: 20, ...C },
      ],
      [{ name: 'a', active: 2, shadowed: [1, 3] }],
    ),
    both(
      'weight never counts against the scope',
      [
        { line: 1, scope: 'project', precedence: 1, ...A },
        { line: 2, scope: 'user', precedence: 99, ...B },
      ],
      [{ name: 'a', active: 1, shadowed: [2] }],
    ),
    both(
      'of equals the first found holds',
      [
        { line: 1, ...A },
        { line: 2, ...B },
      ],
      [{ name: 'a', active: 1, shadowed: [2] }],
    ),
    both(
      'a name in one client takes none from another client',
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
      'names of other letters are other names',
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
      'what is given at the start takes its name from every client',
      [
        { line: 1, client: 'cursor', scope: 'project', ...A },
        { line: 2, client: 'cursor', scope: 'user', ...C },
        { line: 3, client: 'portolan', scope: 'dynamic', ...B },
      ],
      [{ name: 'a', active: 3, shadowed: [1, 2] }],
    ),
    both(
      'an administrator takes it even from that',
      [
        { line: 1, client: 'portolan', scope: 'dynamic', ...A },
        { line: 2, client: 'codex', scope: 'managed', ...B },
        { line: 3, client: 'cursor', ...C },
      ],
      [{ name: 'a', active: 2, shadowed: [1, 3] }],
    ),
    both(
      'of two administrators the first holds',
      [
        { line: 1, client: 'codex', scope: 'managed', ...A },
        { line: 2, client: 'amp', scope: 'managed', ...B },
      ],
      [{ name: 'a', active: 1, shadowed: [2] }],
    ),
    both(
      'an administrator’s other names take nothing',
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
      'what was switched off in the nearer scope stays off',
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
    'what is %s takes no name, neither in its client nor everywhere',
    (state) => {
      const near: Said = { line: 2, scope: 'local', state, ...B };
      expect(settled([{ line: 1, ...A }, near])).toEqual([{ name: 'a', active: 1, shadowed: [2] }]);
      expect(settled([near, { line: 1, ...A }])).toEqual([{ name: 'a', active: 1, shadowed: [2] }]);
      const everywhere: Said = { line: 2, client: 'codex', scope: 'managed', state, ...B };
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
      'one server in several clients, under the name it has first',
      [
        { line: 1, name: 'one', ...cursor, ...A },
        { line: 2, name: 'two', ...zed, ...A },
        { line: 3, name: 'two', client: 'warp', ...A },
      ],
      [{ name: 'one', active: 1, same: [2, 3] }],
    ),
    both(
      'a definition that can be approved counts before one that its client only lists',
      [
        { line: 1, ...cursor, state: 'inventory-only', scope: 'project', ...A },
        { line: 2, ...zed, state: 'pending-approval', scope: 'project', ...A },
      ],
      [{ name: 'a', active: 2, same: [1] }],
    ),
    both(
      'the definition that runs counts, and what it shadowed stays visible',
      [
        { line: 1, ...cursor, state: 'disabled', ...A },
        { line: 2, name: 'z', ...zed, scope: 'user', ...B },
        { line: 3, name: 'z', ...zed, scope: 'project', ...A },
      ],
      [{ name: 'z', active: 3, same: [1], shadowed: [2] }],
    ),
    both(
      'what a person wrote beats the copy of a plugin, whichever comes first',
      [
        { line: 1, name: 'p', ...plugin, ...A },
        { line: 2, ...cursor, ...A },
      ],
      [{ name: 'a', active: 2, same: [1] }],
    ),
    both(
      'also what a person wrote and switched off',
      [
        { line: 1, name: 'p', ...plugin, ...A },
        { line: 2, ...cursor, state: 'disabled', ...A },
      ],
      [{ name: 'a', active: 2, same: [1] }],
    ),
    both(
      'but what a repository wrote and nobody approved stops no plugin',
      [
        { line: 1, name: 'p', ...plugin, ...A },
        { line: 2, ...cursor, scope: 'project', state: 'pending-approval', ...A },
      ],
      [{ name: 'p', active: 1, same: [2] }],
    ),
    both(
      'nor what the user has',
      [
        { line: 1, ...cursor, scope: 'project', state: 'pending-approval', ...A },
        { line: 2, name: 'mine', ...zed, ...A },
      ],
      [{ name: 'mine', active: 2, same: [1] }],
    ),
    both(
      'the first plugin beats the second',
      [
        { line: 1, name: 'p', ...plugin, ...A },
        { line: 2, name: 'q', ...plugin, ...A },
      ],
      [{ name: 'p', active: 1, same: [2] }],
    ),
    both(
      'a connector is dropped for its twin that someone wrote',
      [
        { line: 1, name: 'c', ...connector, ...A },
        { line: 2, ...cursor, ...A },
      ],
      [{ name: 'a', active: 2, same: [1] }],
    ),
    both(
      'a connector stays beside a twin that is switched off',
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
      'a connector stays beside a twin that nobody approved',
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
      'a connector stays beside the twin of a plugin, and that one still beats a second',
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
      'one of several twins that is on is enough to drop a connector',
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
      'a name made up for one server is never the name of another',
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

  it('keeps ten thousand of one name apart', () => {
    const found = Array.from({ length: 10_000 }, (_, n) => ({ line: n + 1, client: `c${n}`, ...at(`s${n}`) }));
    const names = settled(found).map(({ name }) => name);
    expect([new Set(names).size, names[0], names[1], names.at(-1)]).toEqual([10_000, 'a', 'a_2', 'a_10000']);
  });
});
