import { expect, it } from 'vitest';
import { startGateway } from '../../src/app/start-gateway.js';
import { scanMachine } from '../../src/discovery/index.js';
import { hiddenTools } from '../../src/use-cases/index.js';
import { odd } from '../support/gateway-harness.js';
import { makeMachine } from '../support/machine.js';

const RULES = [{ pattern: ['echo', 'wait'], enabled: true, tags: ['safe'] }];

it('listTools returns the rules of each tool, and hiddenTools counts the tools that no rule enables', async () => {
  using machine = makeMachine();
  machine.write({
    '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { odd: odd() } }),
    '~/.config/portolan/portolan.config.json': JSON.stringify({ toolRules: RULES, toolDefault: 'disabled' }),
  });
  let total = 0;
  {
    await using running = await startGateway(machine.options());
    const { tools } = await running.gateway.listTools('odd', { includeDisabled: true });
    total = tools.length;
    expect(total).toBeGreaterThan(2);
    expect(tools.filter(({ enabled }) => enabled).map(({ name, tags }) => [name, tags])).toEqual([
      ['echo', ['safe']],
      ['wait', ['safe']],
    ]);
    expect((await running.gateway.listTools('odd')).tools).toHaveLength(2);
  }
  expect(await hiddenTools(await scanMachine(machine.options()))).toEqual([
    expect.objectContaining({
      code: 'tools-hidden',
      severity: 'info',
      server: 'odd',
      message: `toolDefault "disabled" hides ${total - 2} of ${total} tools`,
    }),
  ]);
});
