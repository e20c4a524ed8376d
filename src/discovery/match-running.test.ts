import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import type { Definition, State } from '../model/index.js';
import { addressKey, asRunningDefinition } from './match-running.js';
import { resolveDefinitions } from './resolve-definitions.js';

type Written = Partial<Definition> & { readonly line: number };

const RUNS: Partial<Definition> = { client: 'running', scope: 'running', source: '/p/.portolan/mcp_servers.json' };
const AT_A: Partial<Definition> = { url: 'http://127.0.0.1:1/mcp' };
const AT_B: Partial<Definition> = { url: 'http://127.0.0.1:2/mcp' };
const UNREACHABLE: Partial<Definition> = { ...RUNS, transport: 'stdio', state: 'inventory-only', id: 'x_1' };

/** The argument stands for the fingerprint. */
const fingerprintOf = ({ args = [] }: Definition) => `print of ${args[0]}`;
const started = (word: string): Partial<Definition> => ({ command: 'node', args: [word] });
const claims = (word: string, state: State): Partial<Definition> => ({
  ...{ ...RUNS, ...AT_B, state, standsFor: `print of ${word}` },
});

function settled(said: readonly Written[]) {
  return resolveDefinitions(said.map(definition), ({ state }) => state, fingerprintOf).servers.map(
    ({ name, duplicates, runningInstance }) => [
      name,
      duplicates.map(({ line }) => line),
      ...(runningInstance ? [runningInstance.line] : []),
    ],
  );
}

describe('running servers', () => {
  it.each([
    {
      title: 'equals the configured server with its URL',
      said: [
        { line: 1, name: 'a', ...AT_A },
        { line: 2, name: 'b', ...RUNS, ...AT_A, state: 'pending-approval' },
      ],
      holds: [['a', [1, 2]]],
    },
    {
      title: 'equals it also if the configured server has an API key',
      said: [
        { line: 1, name: 'a', ...AT_A, headers: { Authorization: 'x' } },
        { line: 2, name: 'b', ...RUNS, ...AT_A },
      ],
      holds: [['a', [1, 2]]],
    },
    {
      title: 'is separate if the configured server never starts',
      said: [
        { line: 1, name: 'a', ...AT_A, state: 'client-ignores' },
        { line: 2, name: 'b', ...RUNS, ...AT_A },
      ],
      holds: [
        ['a', [1]],
        ['b', [2]],
      ],
    },
    {
      title: 'does not equal a server that only has the same name',
      said: [
        { line: 1, name: 'a', ...AT_A },
        { line: 2, name: 'a', ...RUNS, ...AT_B },
      ],
      holds: [
        ['a', [1]],
        ['a_2', [2]],
      ],
    },
    {
      title: 'takes no name from a configured server, even if it was found first',
      said: [
        { line: 1, name: 'a', ...RUNS, ...AT_B },
        { line: 2, name: 'a', ...AT_A },
      ],
      holds: [
        ['a', [2]],
        ['a_2', [1]],
      ],
    },
    {
      title: 'is listed once for two registries, and is separate from another server of its name',
      said: [
        { line: 1, name: 'a', ...RUNS, ...AT_A },
        { line: 2, name: 'a', ...RUNS, ...AT_B },
        { line: 3, name: 'a', ...RUNS, ...AT_A, source: '/h/running/mcp_servers.json' },
      ],
      holds: [
        ['a', [1, 3]],
        ['a_2', [2]],
      ],
    },
    {
      title: 'replaces the launch that it came from, once it is approved',
      said: [
        { line: 1, name: 'a', ...started('x') },
        { line: 2, name: 'b', ...claims('x', 'ready') },
      ],
      holds: [['a', [1, 2], 2]],
    },
    {
      title: 'is listed separately until it is approved',
      said: [
        { line: 1, name: 'a', ...started('x') },
        { line: 2, name: 'b', ...claims('x', 'pending-approval') },
      ],
      holds: [
        ['a', [1]],
        ['b', [2]],
      ],
    },
    {
      title: 'is not used after it was denied',
      said: [
        { line: 1, name: 'a', ...started('x') },
        { line: 2, name: 'b', ...claims('x', 'rejected') },
      ],
      holds: [
        ['a', [1]],
        ['b', [2]],
      ],
    },
    {
      title: 'replaces no other launch',
      said: [
        { line: 1, name: 'a', ...started('y') },
        { line: 2, name: 'b', ...claims('x', 'ready') },
      ],
      holds: [
        ['a', [1]],
        ['b', [2]],
      ],
    },
    {
      title: 'is listed with its launch if it cannot be reached, and is not used',
      said: [
        { line: 1, name: 'a', ...started('x') },
        { line: 2, name: 'b', ...UNREACHABLE, standsFor: 'print of x' },
      ],
      holds: [['a', [1, 2]]],
    },
    {
      title: 'is distinguished by its id from others of its name if it cannot be reached',
      said: [
        { line: 1, name: 'b', ...UNREACHABLE },
        { line: 2, name: 'b', ...UNREACHABLE, id: 'x_2' },
      ],
      holds: [
        ['b', [1]],
        ['b_2', [2]],
      ],
    },
  ] satisfies { title: string; said: Written[]; holds: unknown[] }[])('one $title', ({ said, holds }) => {
    expect(settled(said)).toEqual(holds);
  });
});

describe('asRunningDefinition', () => {
  it('keeps the settings of a server, but not its launch', () => {
    const written = definition({
      ...{ name: 'mine', command: 'node', args: ['x'], env: { KEY: 'k' }, cwd: '/x', envFile: '.env' },
      ...{ tools: { deny: ['delete'] }, timeoutMs: 5, description: 'mine' },
    });
    const running = definition({ ...RUNS, ...AT_A, name: 'theirs', transport: 'sse', tools: { allow: ['delete'] } });
    expect(asRunningDefinition(written, running)).toEqual({
      ...{ name: 'mine', client: 'cursor', scope: 'user', source: '/h/mcp.json', line: 1, state: 'ready' },
      ...{ enabled: true, precedence: 10, tools: { deny: ['delete'] }, timeoutMs: 5, description: 'mine' },
      ...{ transport: 'sse', ...AT_A, written: AT_A },
    });
  });
});

describe('addressKey', () => {
  it.each([
    ['http://localhost:1/mcp', 'http://127.0.0.1:1/mcp'],
    ['HTTP://LOCALHOST:1/mcp/', 'http://127.0.0.1:1/mcp'],
    ['http://localhost', 'http://127.0.0.1'],
    ['http://localhost.evil.example:1/mcp', 'http://localhost.evil.example:1/mcp'],
    ['http://[::1]:1/mcp', 'http://[::1]:1/mcp'],
    ['http://x.example/localhost', 'http://x.example/localhost'],
  ])('normalizes %s to %s', (url, expected) => {
    expect(addressKey(url)).toBe(expected);
  });
});
