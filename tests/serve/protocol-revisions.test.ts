import { describe, expect, it } from 'vitest';
import { startGateway } from '../../src/app/start-gateway.js';
import { discover } from '../../src/discovery/index.js';
import { fixture, installed } from '../support/client-over-stdio.js';
import { makeMachine } from '../support/machine.js';

describe('servers of every protocol revision', () => {
  it.each([
    { name: '@upstash/context7-mcp', version: '2026-07-28', one: installed('@upstash/context7-mcp') },
    { name: 'server-github', version: '2024-11-05', one: installed('@modelcontextprotocol/server-github') },
    { name: 'the fixture', version: '2025-03-26', one: fixture(['--revision', '2025-03-26']) },
    { name: 'server-everything', version: '2025-11-25', one: installed('@modelcontextprotocol/server-everything') },
  ])('are listed: $name with $version', async ({ version, one }) => {
    using machine = makeMachine();
    const servers = { one };
    await using running = await startGateway(machine.options({ servers, clients: [] }));
    const { handshake, tools = [] } = await running.catalog.refresh('one');
    expect(handshake?.protocolVersion).toBe(version);
    expect(tools.length).toBeGreaterThan(0);
    expect(running.catalog.eraOf('one')).toBe(version === '2026-07-28' ? 'modern' : 'legacy');
  });
});

it('accepts legacy and modern as era of an entry, and ignores other values', async () => {
  using machine = makeMachine();
  const entry = (era: unknown) => ({ command: 'x', era });
  const mcpServers = { old: entry('legacy'), current: entry('modern'), odd: entry('future'), silent: { command: 'x' } };
  machine.write({ '~/.cursor/mcp.json': JSON.stringify({ mcpServers }) });
  const { definitions } = await discover(machine.options());
  expect(Object.fromEntries(definitions.map(({ name, era }) => [name, era]))).toEqual({
    old: 'legacy',
    current: 'modern',
    odd: undefined,
    silent: undefined,
  });
});
