import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import type { SourceReadings } from '../sources/index.js';
import { withLastGood } from './last-good.js';

type Found = SourceReadings['pathReadings'][number]['found'];

const at = (source: string, name: string, scope: 'user' | 'managed' = 'user') => definition({ source, name, scope });
const readings = (
  definitions: SourceReadings['definitions'],
  pathReadings: Readonly<Record<string, Found>>,
): SourceReadings => ({
  definitions,
  pathReadings: Object.entries(pathReadings).map(([path, found]) => ({
    client: 'cursor',
    scope: 'user',
    path,
    found,
    servers: 0,
  })),
  problems: [],
  exclusive: [],
});
const named = ({ definitions }: Pick<SourceReadings, 'definitions'>) =>
  definitions.map(({ source, name }) => `${source} ${name}`);

describe('withLastGood', () => {
  const before = { definitions: [at('/a', 'one'), at('/b', 'two'), at('/b', 'three'), at('/c', 'four')] };

  it.each([
    {
      title: 'keeps the servers of a file that does not parse at their position',
      definitions: [at('/a', 'one'), at('/c', 'four')],
      pathReadings: { '/a': 'read', '/b': 'failed', '/c': 'read' },
      expected: ['/a one', '/b two', '/b three', '/c four'],
    },
    {
      title: 'keeps them also when it is the first file',
      definitions: [at('/b', 'two'), at('/b', 'three'), at('/c', 'four')],
      pathReadings: { '/a': 'failed', '/b': 'read', '/c': 'read' },
      expected: ['/a one', '/b two', '/b three', '/c four'],
    },
    {
      title: 'drops the servers of a file that was deleted',
      definitions: [at('/a', 'one'), at('/c', 'four')],
      pathReadings: { '/a': 'read', '/b': 'absent', '/c': 'read' },
      expected: ['/a one', '/c four'],
    },
    {
      title: 'drops servers that were removed from a file',
      definitions: [at('/a', 'one'), at('/b', 'two')],
      pathReadings: { '/a': 'read', '/b': 'read', '/c': 'failed' },
      expected: ['/a one', '/b two', '/c four'],
    },
    {
      title: 'adds new servers to the kept ones',
      definitions: [at('/a', 'new'), at('/a', 'one')],
      pathReadings: { '/a': 'read', '/b': 'failed', '/c': 'failed' },
      expected: ['/a new', '/a one', '/b two', '/b three', '/c four'],
    },
  ] as const)('$title', ({ definitions, pathReadings, expected }) => {
    expect(named(withLastGood(readings(definitions, pathReadings), before))).toEqual(expected);
  });

  it('keeps no server of a managed file, which fails closed', () => {
    const managed = { definitions: [at('/etc/m', 'theirs', 'managed'), at('/a', 'one')] };
    const now = readings([], { '/etc/m': 'failed', '/a': 'failed' });
    expect(named(withLastGood(now, managed))).toEqual(['/a one']);
  });

  it('returns the new scan the first time and if nothing failed', () => {
    const now = readings([at('/a', 'one')], { '/a': 'read' });
    expect(withLastGood(now, undefined)).toBe(now);
    expect(withLastGood(now, before)).toBe(now);
  });
});
