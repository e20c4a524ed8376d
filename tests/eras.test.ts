import { describe, expect, it } from 'vitest';
import { startGateway } from '../src/app/start-gateway.js';
import { discover } from '../src/discovery/index.js';
import { installed } from './client-over-stdio.js';
import { makeMachine } from './machine.js';

describe('real servers of every generation', () => {
  it.each([
    { name: '@upstash/context7-mcp', version: '2026-07-28', env: {} },
    { name: '@modelcontextprotocol/server-github', version: '2024-11-05', env: {} },
    { name: 'n8n-mcp', version: '2025-03-26', env: { MCP_MODE: 'stdio', N8N_MCP_TELEMETRY_DISABLED: 'true' } },
    { name: '@modelcontextprotocol/server-everything', version: '2025-11-25', env: {} },
  ])('lists $name, which speaks $version', async ({ name, version, env }) => {
    using machine = makeMachine();
    const { command, args } = installed(name);
    // Its front door is elsewhere.
    const program = args.map((word) => word.replace('n8n-mcp/dist/index.js', 'n8n-mcp/dist/mcp/stdio-wrapper.js'));
    const servers = { one: { command, args: program, env } };
    await using running = await startGateway(machine.options({ servers, clients: [] }));
    const { greeting, tools = [] } = await running.catalog.refresh('one');
    expect(greeting?.protocolVersion).toBe(version);
    expect(tools.length).toBeGreaterThan(0);
    expect(running.catalog.eraOf('one')).toBe(version === '2026-07-28' ? 'modern' : 'legacy');
  });
});

it('takes an entry at its word about the generation, and no other word for one', async () => {
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
