import { describe, expect, it } from 'vitest';
import { configure, connect, fixture, portolan, until } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

/** The newest entries of the audit log, as server, tool and outcome. */
async function audited(machine: Machine, count: number): Promise<readonly string[]> {
  const entries = await until(
    async () =>
      JSON.parse((await portolan(machine, ['audit', '--json'])).stdout).entries as {
        server: string;
        tool: string;
        outcome: string;
        argumentBytes: number;
      }[],
    (all) => all.length >= count,
  );
  return entries.map(({ server, tool, outcome, argumentBytes }) => `${server} ${tool} ${outcome} ${argumentBytes}`);
}

describe('the audit log', () => {
  it('contains calls of unknown tools and of unknown servers', async () => {
    using machine = makeMachine();
    configure(machine, { own: fixture() });
    {
      await using client = await connect(machine);
      await client.execute('nowhere', 'echo', { a: 1 });
      await client.execute('own', 'nothing', { a: 1 });
      await expect(client.call('no_such_tool', { a: 1 })).rejects.toThrow('Unknown tool: no_such_tool');
    }
    expect(await audited(machine, 3)).toEqual([
      'nowhere echo SERVER_NOT_FOUND 7',
      'own nothing TOOL_NOT_FOUND 7',
      'portolan no_such_tool TOOL_NOT_FOUND 7',
    ]);
  });

  it.each([
    { expose: 'all', name: 'own__nothing', entry: 'own nothing TOOL_NOT_FOUND 2' },
    { expose: 'all', name: 'nothing', entry: 'portolan nothing TOOL_NOT_FOUND 2' },
    { expose: 'own', name: 'nothing', entry: 'own nothing TOOL_NOT_FOUND 2' },
  ])('has a call of $name with --expose $expose', async ({ expose, name, entry }) => {
    using machine = makeMachine();
    configure(machine, { own: fixture() });
    {
      await using client = await connect(machine, { args: ['serve', '--expose', expose] });
      await expect(client.call(name)).rejects.toThrow(`Unknown tool: ${name}`);
    }
    expect(await audited(machine, 1)).toEqual([entry]);
  });

  it('contains calls of an unknown tool or server with portolan call, also with key=value', async () => {
    using machine = makeMachine();
    configure(machine, { own: fixture() });
    expect((await portolan(machine, ['call', 'own', 'nothing', 'a=1'])).stderr).toContain('TOOL_NOT_FOUND');
    expect((await portolan(machine, ['call', 'nowhere', 'echo', 'a=1'])).stderr).toContain('SERVER_NOT_FOUND');
    expect(await audited(machine, 2)).toEqual(['own nothing TOOL_NOT_FOUND 7', 'nowhere echo SERVER_NOT_FOUND 7']);
  });
});
