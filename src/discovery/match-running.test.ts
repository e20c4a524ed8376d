import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import type { Definition, State } from '../model/index.js';
import { addressKey, asRunningDefinition } from './match-running.js';
import { resolveDefinitions } from './resolve-definitions.js';

type Said = Partial<Definition> & { readonly line: number };

const RUNS: Partial<Definition> = { client: 'running', scope: 'running', source: '/p/.portolan/mcp_servers.json' };
const AT_A: Partial<Definition> = { url: 'http://127.0.0.1:1/mcp' };
const AT_B: Partial<Definition> = { url: 'http://127.0.0.1:2/mcp' };
const UNREACHABLE: Partial<Definition> = { ...RUNS, transport: 'stdio', state: 'inventory-only', id: 'x_1' };

/** The word after the command stands for the fingerprint. */
const printOf = ({ args = [] }: Definition) => `print of ${args[0]}`;
const started = (word: string): Partial<Definition> => ({ command: 'node', args: [word] });
const claims = (word: string, state: State): Partial<Definition> => ({
  ...{ ...RUNS, ...AT_B, state, standsFor: `print of ${word}` },
});

function settled(said: readonly Said[]) {
  return resolveDefinitions(said.map(definition), ({ state }) => state, printOf).map(
    ({ name, origins, runningInstance }) => [
      name,
      origins.map(({ line }) => line),
      ...(runningInstance ? [runningInstance.line] : []),
    ],
  );
}

describe('servers that run', () => {
  it.each([
    {
      title: 'is the one that was written down with its address',
      said: [
        { line: 1, name: 'a', ...AT_A },
        { line: 2, name: 'b', ...RUNS, ...AT_A, state: 'pending-approval' },
      ],
      holds: [['a', [1, 2]]],
    },
    {
      title: 'is that one also where it is reached with a key',
      said: [
        { line: 1, name: 'a', ...AT_A, headers: { Authorization: 'x' } },
        { line: 2, name: 'b', ...RUNS, ...AT_A },
      ],
      holds: [['a', [1, 2]]],
    },
    {
      title: 'is itself where what was written down is never started',
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
      title: 'is not one that only has its name',
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
      title: 'takes no name, although it was found first',
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
      title: 'is one with itself in two registries, and another than the next of its name',
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
      title: 'is used for a launch that it came from, once it is approved',
      said: [
        { line: 1, name: 'a', ...started('x') },
        { line: 2, name: 'b', ...claims('x', 'ready') },
      ],
      holds: [['a', [1, 2], 2]],
    },
    {
      title: 'waits by itself until then',
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
      title: 'is used for nothing after a no',
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
      title: 'is used for no other launch',
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
      title: 'shows with its launch where it cannot be reached, and is not used',
      said: [
        { line: 1, name: 'a', ...started('x') },
        { line: 2, name: 'b', ...UNREACHABLE, standsFor: 'print of x' },
      ],
      holds: [['a', [1, 2]]],
    },
    {
      title: 'is told from others of its name by its id where it cannot be reached',
      said: [
        { line: 1, name: 'b', ...UNREACHABLE },
        { line: 2, name: 'b', ...UNREACHABLE, id: 'x_2' },
      ],
      holds: [
        ['b', [1]],
        ['b_2', [2]],
      ],
    },
  ] satisfies { title: string; said: Said[]; holds: unknown[] }[])('one $title', ({ said, holds }) => {
    expect(settled(said)).toEqual(holds);
  });
});

describe('asRunningDefinition', () => {
  it('keeps what was said of a server, and nothing of how to start it', () => {
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
  ])('takes %s for %s', (url, expected) => {
    expect(addressKey(url)).toBe(expected);
  });
});
