import { describe, expect, it } from 'vitest';
import { commandOn } from '../support/cli-in-process.js';
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

const WITH_GATEWAY = new Set(['tools', 'inspect', 'call']);

/** The exit code and stderr of a command; only commands that start servers need a process. */
async function failureOf(machine: Machine, args: readonly string[]) {
  if (WITH_GATEWAY.has(args[0] ?? '')) return portolan(machine, args);
  const { status, err } = await commandOn(machine, args);
  return { status, stderr: err };
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

  it.each([
    // A server that runs as a process has no sign-in, and no value is given: the error is about this server.
    { command: 'login', args: [], says: 'has no sign-in' },
    { command: 'set', args: ['TOKEN'], says: 'no value was given' },
  ])('$command accepts each name and alias', async ({ command, args, says }) => {
    using machine = machineWithNames();
    for (const name of SPELLINGS) {
      const { stderr } = await portolan(machine, [command, name, ...args]);
      expect([name, stderr]).toEqual([name, expect.stringContaining(says)]);
    }
  });

  it('search accepts each name and alias in --server', async () => {
    using machine = machineWithNames();
    for (const name of SPELLINGS) {
      const { stdout } = await portolan(machine, ['search', 'echo', '--server', name]);
      expect([name, stdout]).toEqual([name, expect.stringContaining('My Server echo')]);
    }
  });

  it.each([
    ['why'],
    ['tools'],
    ['logs'],
    ['deny'],
    ['login'],
    ['logout'],
    ['approve'],
    ['set', 'TOKEN'],
    ['inspect', 'echo'],
    ['call', 'echo'],
  ])('%s suggests a similar name', async (command, ...more) => {
    using machine = machineWithNames();
    const { status, stderr } = await failureOf(machine, [command, 'elsewere', ...more]);
    expect(status).not.toBe(0);
    expect(stderr).toContain('SERVER_NOT_FOUND');
    expect(stderr).toContain('did you mean elsewhere');
  });
});

describe('a misspelt', () => {
  it.each([
    { what: 'command', args: ['lst'], hint: 'did you mean list?' },
    { what: 'flag', args: ['list', '--jsn'], hint: 'did you mean --json?' },
    { what: 'flag of another command', args: ['doctor', '--cliend', 'cursor'], hint: 'did you mean --client?' },
    { what: 'client', args: ['list', '--client', 'cursr'], hint: 'did you mean cursor?' },
    { what: "client's name", args: ['list', '--client', 'VS Code'], hint: 'did you mean vscode' },
    { what: 'client of import', args: ['import', 'claude-cod'], hint: 'did you mean claude-code' },
    { what: 'tool', args: ['call', 'My Server', 'ecco'], hint: 'did you mean echo?' },
    { what: 'tool of inspect', args: ['inspect', 'My Server', 'ecco'], hint: 'did you mean echo?' },
    { what: 'help topic', args: ['help', 'aproval'], hint: 'did you mean approval?' },
    { what: 'help page of a command', args: ['help', 'docter'], hint: 'did you mean doctor?' },
    { what: 'name of remove', args: ['remove', 'nots'], hint: 'did you mean notes?' },
    { what: 'word of config', args: ['config', 'shwo'], hint: 'did you mean show?' },
    { what: 'word of daemon', args: ['daemon', 'stpo'], hint: 'did you mean stop?' },
    { what: 'shell', args: ['completion', 'bahs'], hint: 'did you mean bash?' },
  ])('$what gets a suggestion', async ({ args, hint }) => {
    using machine = machineWithNames();
    machine.write({ '~/.config/portolan/servers.json': '{"mcpServers":{"notes":{"command":"node"}}}' });
    const { status, stderr } = await failureOf(machine, args);
    expect(status).not.toBe(0);
    expect(stderr).toContain(hint);
  });
});

describe('a usage error', () => {
  it.each([
    { args: ['list', '--jsn'], message: 'portolan list has no flag --jsn' },
    { args: ['list', 'x'], message: 'portolan list does not take the argument "x"' },
    { args: ['list', '--client'], message: 'portolan list needs a value after --client' },
    { args: ['list', '--json=1'], message: 'portolan list takes no value after --json' },
    { args: ['why'], message: 'portolan why needs a server' },
    { args: ['deny'], message: 'portolan deny needs a server' },
    { args: ['add'], message: 'portolan add needs a name for the server' },
    { args: ['remove'], message: 'portolan remove needs exactly one name' },
    { args: ['import'], message: 'portolan import needs exactly one client' },
    { args: ['search', 'x', '--limit', '0'], message: 'portolan search needs a number from 1 to 999 after --limit' },
    { args: ['audit', '--last', 'x'], message: 'portolan audit needs a positive whole number after --last, not "x"' },
    {
      args: ['python', import.meta.filename, '--timeout', 'x'],
      message: 'portolan python needs a positive number of seconds after --timeout',
    },
    { args: ['serve', '--daemon', 'x'], message: 'portolan serve needs one of auto, require, never after --daemon' },
    { args: ['completion', 'tcsh'], message: 'portolan completion has no script for "tcsh"' },
    { args: ['config'], message: 'portolan config needs show, sources, validate or schema' },
    { args: ['daemon', 'x'], message: 'portolan daemon has no "x"' },
    { args: ['install', '--undo'], message: 'portolan install needs a client after --undo' },
    { args: ['set', 'x', 'Y', '--nope'], message: 'portolan set has no flag --nope' },
  ])('of $args names the command, what is wrong and the usage', async ({ args, message }) => {
    using machine = makeMachine();
    const { status, err } = await commandOn(machine, args);
    expect(status).toBe(2);
    expect(err.startsWith(`USAGE: ${message}`)).toBe(true);
    expect(err).toContain(`usage: portolan ${args[0]}`);
  });
});
