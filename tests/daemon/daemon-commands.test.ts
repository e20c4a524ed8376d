import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  configure,
  fixture,
  isAlive,
  portolan,
  startsIn,
  until,
  type Variables,
} from '../support/client-over-stdio.js';
import { type DaemonSetup, makeDaemonSetup } from '../support/daemon-harness.js';
import { slowRunner } from '../support/slow-runner.js';

/** Runs a command with the daemon: `auto` starts it if necessary. */
function run(setup: DaemonSetup, args: readonly string[], mode = 'auto', more: Variables = {}, folder?: string) {
  const machine = folder === undefined ? setup.machine : { ...setup.machine, project: folder };
  return portolan(machine, args, { ...setup.env, PORTOLAN_DAEMON: mode, ...more });
}

function machineWithServers() {
  const setup = makeDaemonSetup();
  const starts = setup.machine.path('~/starts');
  configure(
    setup.machine,
    { own: fixture(['--starts', starts, `\${env:WHERE}`]), dying: fixture(['--dies', 'no key was given']) },
    { toolRules: [{ pattern: ['mutter'], enabled: false }] },
  );
  return { setup, starts };
}

it('a command that uses servers starts the daemon unless it is told not to; other commands start nothing', async () => {
  const { setup, starts } = machineWithServers();
  await using _setup = setup;
  for (const args of [['list'], ['why', 'own'], ['doctor'], ['config', 'show'], ['tools', 'own', '--daemon', 'never']])
    await run(setup, args);
  expect(await setup.pid()).toBeUndefined();
  expect(await run(setup, ['search', 'echo', '--daemon', 'require'])).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^CONNECTION_ERROR: no daemon listens on .*\n {2}start one with/),
  });
  const before = startsIn(starts).length;
  expect(await run(setup, ['call', 'own', 'echo', 'text=a'])).toEqual({ status: 0, stdout: 'a\n', stderr: '' });
  expect(await setup.pid()).toBeGreaterThan(0);
  expect(await run(setup, ['call', 'own', 'echo', 'text=b'], 'require')).toMatchObject({ stdout: 'b\n' });
  // The server outlives the command that started it.
  const pids = startsIn(starts).slice(before);
  expect(pids.filter(isAlive)).toEqual(pids);
  expect(pids).toHaveLength(1);
});

describe('a command with the daemon', () => {
  let setup: DaemonSetup;

  beforeAll(async () => {
    ({ setup } = machineWithServers());
    await setup.run(['daemon', 'start']);
  });

  afterAll(() => setup[Symbol.asyncDispose]());

  it.each([
    ['search', 'echo a text', '--limit', '2'],
    ['search', 'echo', '--server', 'OWN', '--json'],
    ['search', 'zzzz', '--json'],
    ['tools', 'own', '--all'],
    ['tools', 'onw'],
    ['tools', 'dying', '--json'],
    ['inspect', 'own', 'mutter'],
    ['inspect', 'own', 'ecco', '--json'],
    ['call', 'own', 'echo', '--args', '{"text":"12345678901234567890"}', '--json'],
    ['call', 'own', 'echo', 'text=7'],
    ['call', 'own', 'echo', 'txt=7'],
    ['call', 'own', 'complain'],
    ['call', 'own', 'mutter', '--json'],
    ['call', 'added', 'echo', 'text=x', '--server', `added=${process.execPath} ${fixture().args.join(' ')}`],
    ['tools', 'own', '--config', 'nowhere.json'],
    ['tools', 'own', '--client', 'zed'],
    ['search', 'x', '--daemon', 'sometimes'],
  ])('prints the same as in its own process: %s %s %s %s %s', async (...args) => {
    expect(await run(setup, args, 'require')).toEqual(await run(setup, args, 'never'));
  });

  it('gets the servers of its own directory, with the approval of a moment ago', async () => {
    const folder = join(setup.machine.home, 'elsewhere');
    mkdirSync(folder);
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { here: fixture(['here']) } }));
    const call = ['call', 'here', 'echo', 'text=a'];
    expect(await run(setup, call, 'require', {}, folder)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('SERVER_NOT_APPROVED'),
    });
    await run(setup, ['approve', 'here', '--yes'], 'never', {}, folder);
    expect(await run(setup, call, 'require', {}, folder)).toEqual({ status: 0, stdout: 'a\n', stderr: '' });
    expect(await run(setup, call, 'require')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('SERVER_NOT_FOUND'),
    });
  });

  it('gets servers with its own environment', async () => {
    for (const place of ['paris', 'rome']) {
      const { stdout } = await run(setup, ['call', 'own', 'argv'], 'require', { WHERE: place });
      expect(stdout).toContain(place);
    }
  });

  it('reports settings that are invalid since a moment ago', async () => {
    const path = '~/.config/portolan/portolan.config.json';
    setup.machine.write({ [path]: '{"toolRules": 7}' });
    const [shared, own] = [await run(setup, ['tools', 'own']), await run(setup, ['tools', 'own'], 'never')];
    setup.machine.write({ [path]: '{}' });
    expect(shared).toMatchObject({ status: own.status, stdout: '' });
    expect(shared.stderr).toBe(own.stderr);
    expect(own.stderr).toContain('SETTINGS_INVALID');
    expect((await run(setup, ['tools', 'own'], 'require')).stdout).toContain('mutter');
  });

  it('runs a program over the servers', async () => {
    const path = join(setup.machine.project, 'p.py');
    writeFileSync(path, 'print(mcp_own.echo(text="from a program"))');
    const { stdout } = await run(setup, ['python', path, '--servers', 'own'], 'require');
    expect(stdout).toContain('from a program');
  });
});

describe('a server with a slow start', () => {
  it('is installed once for all commands and ends with the daemon', async () => {
    await using setup = makeDaemonSetup();
    const { machine } = setup;
    const slow = slowRunner(machine);
    configure(machine, { own: fixture(), slow: slow.entry }, { timeouts: { searchMs: 300, daemonIdleMs: 500 } });
    expect((await run(setup, ['search', 'echo'])).stdout).toContain('slow is still being read');
    const { processes } = JSON.parse((await run(setup, ['ps', '--json'])).stdout);
    expect(processes).toContainEqual(
      expect.objectContaining({ server: 'slow', state: 'starting', pid: slow.pids()[0] }),
    );
    const calling = run(setup, ['call', 'slow', 'read_graph']);
    // Neither this command nor the idle limit ends the start.
    await run(setup, ['search', 'graph']);
    slow.finish();
    const { status, stderr, stdout } = await calling;
    expect({ status, stderr, graph: JSON.parse(stdout) }).toMatchObject({ status: 0, graph: { entities: [] } });
    expect((await run(setup, ['search', 'read the graph'])).stdout).toContain('slow read_graph');
    expect(slow.pids()).toHaveLength(1);
    await setup.run(['daemon', 'stop']);
    await until(
      () => slow.pids().filter(isAlive),
      ({ length }) => length === 0,
    );
  });
});
