import { describe, expect, it } from 'vitest';
import { scanMachine, toRecord } from '../../src/discovery/index.js';
import { makeMachine } from '../support/machine.js';

const FILE = '<project>/.vscode/mcp.json';
const other = `{
  "servers": {"own": {"command": "node"}, "both": {"command": "first"}},
  "mcpServers": {
    "other": {"command": "other"},
    "both": {"command": "second"}
  }
}`;

describe('mcpServers in .vscode/mcp.json', () => {
  it('adds servers that need approval, with one note; an entry under "servers" has precedence', async () => {
    using machine = makeMachine();
    machine.write({ [FILE]: other });
    const { servers, problems } = await scanMachine(machine.options({ clients: ['vscode'] }));
    expect(
      servers.map(toRecord).map(({ name, state, command, shadowed }) => [name, state, command, shadowed.length]),
    ).toEqual([
      ['own', 'pending-approval', 'node', 0],
      ['both', 'pending-approval', 'first', 1],
      ['other', 'pending-approval', 'other', 0],
    ]);
    expect(problems).toEqual([
      {
        code: 'wrong-key',
        severity: 'info',
        message:
          'VS Code reads the servers under "servers" in this file; those under "mcpServers" are read by Portolan only',
        hint: 'move them to "servers" so that VS Code reads them too',
        source: machine.path(FILE),
        line: 3,
      },
    ]);
  });

  it('causes no note if the key has no server', async () => {
    using machine = makeMachine();
    machine.write({ [FILE]: '{"servers":{"own":{"command":"node"}},"mcpServers":{}}' });
    expect((await scanMachine(machine.options({ clients: ['vscode'] }))).problems).toEqual([]);
  });
});
