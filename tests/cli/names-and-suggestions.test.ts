import { describe, expect, it } from 'vitest';
import { fixture, portolan } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

/** One server that two clients know under different names; its own name has capitals and a space. */
function machineWithNames(): Machine {
  const machine = makeMachine();
  machine.write({
    '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { 'My Server': fixture() } }),
    '~/.gemini/settings.json': JSON.stringify({ mcpServers: { elsewhere: fixture() } }),
  });
  return machine;
}

/** Every spelling that `portolan why` accepts: the name, another case, the alias, the name in another client. */
const SPELLINGS = ['My Server', 'my server', 'my_server', 'elsewhere'];

describe('every command that takes a server', () => {
  it.each([
    { command: 'why', args: [] },
    { command: 'tools', args: [] },
    { command: 'inspect', args: ['echo'] },
    { command: 'call', args: ['echo', 'text=x'] },
    { command: 'logs', args: [] },
    { command: 'deny', args: [] },
    { command: 'approve', args: ['--yes'] },
  ])('$command accepts each name and alias', async ({ command, args }) => {
    using machine = machineWithNames();
    for (const name of SPELLINGS) {
      if (command === 'approve') await portolan(machine, ['deny', 'My Server']);
      const { status, stderr } = await portolan(machine, [command, name, ...args]);
      expect([name, status, stderr]).toEqual([name, 0, '']);
    }
  });

  it('login accepts each name and alias', async () => {
    using machine = machineWithNames();
    for (const name of SPELLINGS) {
      const { stderr } = await portolan(machine, ['login', name]);
      // A server that runs as a process has no sign-in; the error is about this server, whatever the spelling.
      expect([name, stderr]).toEqual([name, expect.not.stringContaining('SERVER_NOT_FOUND')]);
    }
  });

  it('search accepts each name and alias in --server', async () => {
    using machine = machineWithNames();
    for (const name of SPELLINGS) {
      const { stdout } = await portolan(machine, ['search', 'echo', '--server', name]);
      expect([name, stdout]).toEqual([name, expect.stringContaining('My Server echo')]);
    }
  });

  it.each(['why', 'tools', 'logs', 'deny', 'login', 'approve'])('%s suggests a similar name', async (command) => {
    using machine = machineWithNames();
    const { status, stderr } = await portolan(machine, [command, 'elsewere']);
    expect(status).not.toBe(0);
    expect(stderr).toContain('SERVER_NOT_FOUND');
    expect(stderr).toContain('did you mean elsewhere');
  });
});

describe('a misspelt', () => {
  it.each([
    { what: 'command', args: ['lst'], hint: 'Did you mean list?' },
    { what: 'flag', args: ['list', '--jsn'], hint: 'Did you mean --json?' },
    { what: 'flag of another command', args: ['doctor', '--cliend', 'cursor'], hint: 'Did you mean --client?' },
    { what: 'client', args: ['list', '--client', 'cursr'], hint: 'did you mean cursor?' },
    { what: "client's name", args: ['list', '--client', 'VS Code'], hint: 'did you mean vscode' },
    { what: 'client of import', args: ['import', 'claude-cod'], hint: 'did you mean claude-code' },
    { what: 'tool', args: ['call', 'My Server', 'ecco'], hint: 'did you mean echo?' },
    { what: 'tool of inspect', args: ['inspect', 'My Server', 'ecco'], hint: 'did you mean echo?' },
    { what: 'help topic', args: ['help', 'aproval'], hint: 'Did you mean approval?' },
    { what: 'help page of a command', args: ['help', 'docter'], hint: 'Did you mean doctor?' },
    { what: 'word of config', args: ['config', 'shwo'], hint: 'Did you mean show?' },
    { what: 'word of daemon', args: ['daemon', 'stpo'], hint: 'Did you mean stop?' },
    { what: 'shell', args: ['completion', 'bahs'], hint: 'Did you mean bash?' },
  ])('$what gets a suggestion', async ({ args, hint }) => {
    using machine = machineWithNames();
    const { status, stderr } = await portolan(machine, args);
    expect(status).not.toBe(0);
    expect(stderr).toContain(hint);
  });
});
