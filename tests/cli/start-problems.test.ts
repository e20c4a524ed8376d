import { chmodSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandOn } from '../support/cli-in-process.js';
import { type Machine, makeMachine } from '../support/machine.js';

const env = { PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter) };

interface Entry {
  readonly [field: string]: unknown;
}

/** The problems that doctor reports for one entry of Cursor, as code, message and hint. */
async function problemsOf(machine: Machine, entry: Entry) {
  machine.write({ '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { one: entry } }) });
  const { status, out } = await commandOn(machine, ['doctor', '--json'], { env });
  const { problems } = JSON.parse(out) as {
    problems: { code: string; message: string; hint: string; server: string }[];
  };
  return { status, problems: problems.filter(({ server }) => server === 'one') };
}

describe('portolan doctor', () => {
  it('reports a command that is not on PATH, and the package that provides it', async () => {
    using machine = makeMachine();
    expect(await problemsOf(machine, { command: 'no-such-program-at-all' })).toMatchObject({
      status: 1,
      problems: [
        {
          code: 'missing-command',
          message: 'it cannot be started: no-such-program-at-all was not found on PATH',
          hint: 'install it, add its directory to PATH, or set `command` to an absolute path',
        },
      ],
    });
    machine.write({ '~/.cursor/mcp.json': JSON.stringify({ mcpServers: { one: { command: 'uvx', args: ['x'] } } }) });
    const { out } = await commandOn(machine, ['doctor', '--json'], { env: { PATH: machine.home } });
    expect(JSON.parse(out).problems[0].hint).toContain('install uv,');
  });

  it('reports a path that does not exist, and a working directory that does not', async () => {
    using machine = makeMachine();
    expect((await problemsOf(machine, { command: '/nowhere/server' })).problems).toMatchObject([
      { code: 'missing-command', message: 'it cannot be started: /nowhere/server does not exist' },
    ]);
    expect((await problemsOf(machine, { command: process.execPath, cwd: '/nowhere' })).problems).toMatchObject([
      { code: 'missing-folder', message: expect.stringContaining('/nowhere does not exist') },
    ]);
  });

  // Windows has no permission to execute.
  it.runIf(process.platform !== 'win32')('reports a file that is not executable, by its path and on PATH', async () => {
    using machine = makeMachine();
    const path = machine.path('~/bin/my-server');
    machine.write({ '~/bin/my-server': '#!/bin/sh\n' });
    chmodSync(path, 0o644);
    for (const entry of [{ command: path }, { command: 'my-server', env: { PATH: dirname(path) } }])
      expect((await problemsOf(machine, entry)).problems).toMatchObject([
        { code: 'missing-command', message: `it cannot be started: ${path} is not executable` },
      ]);
    chmodSync(path, 0o755);
    expect((await problemsOf(machine, { command: path })).problems).toEqual([]);
  });

  it('searches the PATH of the entry and its working directory', async () => {
    using machine = makeMachine();
    machine.write({ '~/tools/own-server': '#!/bin/sh\n' });
    chmodSync(machine.path('~/tools/own-server'), 0o755);
    const tools = machine.path('~/tools');
    expect((await problemsOf(machine, { command: 'own-server' })).problems).toHaveLength(1);
    expect((await problemsOf(machine, { command: 'own-server', env: { PATH: tools } })).problems).toEqual([]);
    expect((await problemsOf(machine, { command: './own-server', cwd: tools })).problems).toEqual([]);
  });

  it('reports variables and headers that are empty, with the command that stores a value', async () => {
    using machine = makeMachine();
    const { status, problems } = await problemsOf(machine, {
      command: process.execPath,
      env: { API_TOKEN: '', LEVEL: 'info', REGION: '${env:REGION_OF_MINE}' },
    });
    expect(status).toBe(0);
    expect(problems).toMatchObject([
      { code: 'missing-variable', message: 'the variable REGION_OF_MINE has no value' },
      {
        code: 'empty-variable',
        message: 'its variable API_TOKEN is empty',
        hint: 'store a value with `portolan set one API_TOKEN`, or remove it from the entry',
      },
    ]);
    const remote = { url: 'https://host.example/mcp', headers: { Authorization: 'Bearer ' } };
    expect((await problemsOf(machine, remote)).problems).toMatchObject([
      { code: 'empty-variable', message: 'its header Authorization is empty' },
    ]);
  });

  it('does not report servers that are not started: disabled, remote, running elsewhere', async () => {
    using machine = makeMachine();
    expect((await problemsOf(machine, { command: '/nowhere/server', disabled: true })).problems).toEqual([]);
    expect((await problemsOf(machine, { url: 'https://host.example/mcp' })).problems).toEqual([]);
  });
});

describe('portolan list', () => {
  it('names the servers that cannot be started, and why', async () => {
    using machine = makeMachine();
    machine.write({
      '~/.cursor/mcp.json': JSON.stringify({
        mcpServers: { lost: { command: 'no-such-program' }, blank: { command: process.execPath, env: { KEY: '' } } },
      }),
    });
    const { out } = await commandOn(machine, ['list'], { env });
    expect(out.split('\n')).toEqual(
      expect.arrayContaining([
        'lost: it cannot be started: no-such-program was not found on PATH',
        'blank: its variable KEY is empty',
        '1 error, 1 warning: portolan doctor',
      ]),
    );
    const { problems } = JSON.parse((await commandOn(machine, ['list', '--json'], { env })).out);
    expect(problems.map(({ code }: { code: string }) => code)).toEqual(['missing-command', 'empty-variable']);
  });
});

describe('portolan why', () => {
  it('names each missing value and the command that stores it', async () => {
    using machine = makeMachine();
    machine.write({
      '~/.config/Code/User/mcp.json': JSON.stringify({
        inputs: [{ id: 'token', type: 'promptString', description: 'GitHub token', password: true }],
        servers: { hub: { command: process.execPath, env: { GITHUB_TOKEN: '${input:token}', REGION: '' } } },
      }),
    });
    const { out } = await commandOn(machine, ['why', 'hub'], { env, platform: 'linux' });
    expect(out).toContain('input token (GitHub token) has no value: portolan set hub token');
    expect(out).toContain('variable REGION is empty: portolan set hub REGION');
    const { needs } = JSON.parse((await commandOn(machine, ['why', 'hub', '--json'], { env, platform: 'linux' })).out);
    expect(needs).toEqual([
      {
        name: 'token',
        kind: 'input',
        because: 'unset',
        description: 'GitHub token',
        command: 'portolan set hub token',
      },
      { name: 'REGION', kind: 'variable', because: 'empty', command: 'portolan set hub REGION' },
    ]);
  });
});
