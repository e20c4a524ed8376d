import { describe, expect, it } from 'vitest';
import { configure, connect, fixture, type StdioClient, until } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';
import { makeMachine } from '../support/machine.js';

const SERVERS = {
  gateway: { command: 'npx', args: ['-y', 'portolan@latest'] },
  own: fixture(['own']),
  second: { command: 'sh', args: ['-c', 'exec portolan serve'] },
};

/** The lines on stderr about skipped entries. */
function skippedOn({ stderr }: StdioClient) {
  return stderr
    .split('\n')
    .filter((line) => line.includes('skipped an entry'))
    .map((line) => JSON.parse(line))
    .map(({ level, server, source, line }) => ({ level, server, source, line }));
}

const lines = (client: StdioClient, count: number) =>
  until(
    () => skippedOn(client),
    (found) => found.length >= count,
  );

describe('serve', () => {
  it('prints one line on stderr for each entry that starts Portolan, also for one that is added later', async () => {
    using machine = makeMachine();
    configure(machine, SERVERS);
    await using client = await connect(machine);
    const at = { level: 'warn', source: machine.path('~/.cursor/mcp.json'), line: 1 };
    const expected = ['gateway', 'second'].map((server) => ({ ...at, server }));
    expect(await lines(client, 2)).toEqual(expected);
    configure(machine, { ...SERVERS, third: { command: 'portolan' } });
    expect(await lines(client, 3)).toEqual([...expected, { ...at, server: 'third' }]);
  });

  it('prints the lines for each client of a daemon', async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, SERVERS);
    const source = setup.machine.path('~/.cursor/mcp.json');
    for (const _ of ['the first', 'the second']) {
      await using client = await setup.client({ mode: 'auto' });
      expect((await client.ask('list_mcp_servers')).servers).toHaveLength(1);
      expect(await lines(client, 2)).toEqual(
        ['gateway', 'second'].map((server) => ({ level: 'warn', server, source, line: 1 })),
      );
    }
  });
});
