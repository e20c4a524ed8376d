import { describe, expect, it } from 'vitest';
import { configure, fixture, portolan } from '../support/client-over-stdio.js';
import { makeMachine } from '../support/machine.js';

/** The three ways to add a server. */
const WAYS = ['portolan add memory -- npx', 'portolan config sources', '~/MCPs/'];

describe('on a machine without servers', () => {
  it.each([
    ['list'],
    ['doctor'],
    ['why', 'x'],
    ['search', 'read a file'],
    ['tools', 'x'],
    ['inspect', 'x', 'y'],
    ['call', 'x', 'y'],
    ['call', 'x', 'y', 'a=1'],
    ['approve'],
    ['approve', 'x'],
    ['deny', 'x'],
    ['login', 'x'],
    ['logout', 'x'],
    ['logs', 'x'],
    ['lock'],
    ['status'],
    ['ps'],
    ['audit'],
    ['set', 'x', 'TOKEN'],
    ['remove', 'x'],
    ['import', 'cursor'],
    ['install', 'cursor'],
    ['install'],
    ['config', 'sources'],
    ['python', 'program.py'],
    ['approve', '--all', '--yes'],
    ['approve', '--from-lock', '--yes'],
  ])('%s %s reports that no servers are configured, and prints the three ways to add one', async (...args) => {
    using machine = makeMachine();
    machine.write({ '<project>/program.py': '1' });
    const { stdout, stderr } = await portolan(
      machine,
      args.filter((word) => word !== undefined),
    );
    for (const text of ['no servers configured', ...WAYS]) expect(`${stdout}${stderr}`).toContain(text);
    // Each way has its own line.
    expect(`${stdout}${stderr}`).not.toContain('\\x0a');
  });

  it('the first of the ways works as it is printed', async () => {
    using machine = makeMachine();
    const { stdout } = await portolan(machine, ['list']);
    const line = /1\. portolan (add .*)/.exec(stdout)?.[1] ?? '';
    expect(await portolan(machine, line.split(' '))).toMatchObject({ status: 0 });
    expect((await portolan(machine, ['list'])).stdout).toMatch(/^memory +ready/m);
  });

  it('list --json stays a list', async () => {
    using machine = makeMachine();
    expect(JSON.parse((await portolan(machine, ['list', '--json'])).stdout)).toEqual({ servers: [], problems: [] });
  });
});

describe('a filter that matches nothing', () => {
  it.each([
    {
      args: ['list', '--client', 'zed'],
      output: 'no servers configured in zed; portolan list shows those of all clients',
    },
    { args: ['doctor', '--client', 'zed'], output: 'no servers configured in zed' },
    { args: ['approve', '--client', 'zed'], output: 'no servers configured in zed' },
    { args: ['why', 'one', '--client', 'zed'], output: 'no servers configured in zed' },
    { args: ['search', 'qqqqqq', '--server', 'one'], output: 'No tool of one matches.' },
    { args: ['search', 'qqqqqq'], output: 'No tool matches.' },
    { args: ['audit', '--server', 'one'], output: 'No calls of one are recorded' },
    { args: ['config', 'sources', '--found', '--client', 'zed'], output: 'nothing was found in any of these places' },
    { args: ['approve'], output: 'nothing waits for approval' },
    { args: ['approve', '--all'], output: 'nothing waits for approval' },
  ])('is named by $args', async ({ args, output }) => {
    using machine = makeMachine();
    configure(machine, { one: fixture() });
    const { stdout, stderr } = await portolan(machine, args);
    expect(`${stdout}${stderr}`).toContain(output);
  });

  it('is named by list --config with a file without servers', async () => {
    using machine = makeMachine();
    configure(machine, { one: fixture() });
    machine.write({ '~/none.json': '{"mcpServers":{}}' });
    const { stdout } = await portolan(machine, ['list', '--config', machine.path('~/none.json')]);
    expect(stdout).toContain(`no servers configured in ${machine.path('~/none.json')}`);
  });

  it('is named by tools, if every tool of the server is disabled', async () => {
    using machine = makeMachine();
    configure(machine, { one: fixture() }, { toolDefault: 'disabled' });
    const { stdout } = await portolan(machine, ['tools', 'one']);
    expect(stdout).toContain('one has no tool that is enabled; disabled ones: portolan tools one --all');
  });
});
