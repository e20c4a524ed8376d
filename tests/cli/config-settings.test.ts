import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Machine, makeMachine } from '../support/machine.js';

const program = join(dirname(fileURLToPath(import.meta.url)), '../../dist/cli.js');

function config(machine: Machine, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'config', ...args], {
    cwd: machine.project,
    env: { PATH: process.env.PATH, HOME: machine.home, USERPROFILE: machine.home, ...env },
    encoding: 'utf8',
    input: '',
  });
  return { status, stdout, stderr };
}

describe('portolan config show', () => {
  it('prints each effective value and its file', () => {
    using machine = makeMachine();
    machine.write({
      '~/.config/portolan/portolan.config.ts': 'console.log("noise"); export default { cache: { ttl: 60 as number } };',
      '<project>/portolan.config.json': '{\n"timeouts": {"callMs": 5000}, "passEnv": ["KEY"]}',
    });
    const { status, stdout } = config(machine, ['show'], { PORTOLAN_APPROVAL: 'all' });
    expect(status).toBe(0);
    const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows).toEqual(
      expect.arrayContaining([
        ['KEY', 'VALUE', 'FROM'],
        ['enabled', 'true', 'default'],
        ['cache.ttl', '60', '~/.config/portolan/portolan.config.ts'],
        ['timeouts.callMs', '5000', `${machine.path('<project>/portolan.config.json')}:2`],
        ['approval', '"all"', '$PORTOLAN_APPROVAL'],
        ['passEnv', '[]', 'default'],
      ]),
    );
    expect(stdout).toContain('"passEnv" of the project is ignored');
    expect(stdout).not.toContain('noise');
  });

  it('prints the lines of anygpt.config.json, and reports it as ignored if portolan.config.json exists', () => {
    using machine = makeMachine();
    const path = '~/.config/portolan/anygpt.config.json';
    machine.write({ [path]: '{"providers": {},\n"discovery": {\n"cache": {"ttl": 60}}}' });
    expect(config(machine, ['show']).stdout).toMatch(new RegExp(`cache\\.ttl +60 +${path}:3`));
    machine.write({ '~/.config/portolan/portolan.config.json': '{}' });
    const { status, stdout } = config(machine, ['show']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/cache\.ttl +3600 +default/);
    expect(stdout).toContain(`info ${path}`);
  });

  it('prints the same as JSON, with secrets masked unless --show-secrets is given', () => {
    using machine = makeMachine();
    machine.write({
      '~/.config/portolan/portolan.config.json': JSON.stringify({
        connectorsUrl: 'https://me:pw-1@host.example/?token=t-2',
        deniedMcpServers: [{ serverCommand: ['run', '--api-key', 'k-3'] }],
      }),
    });
    const { stdout } = config(machine, ['show', '--json'], { PORTOLAN_CACHE_TTL: '5' });
    const path = machine.path('~/.config/portolan/portolan.config.json');
    expect(JSON.parse(stdout)).toMatchObject({
      settings: { enabled: true, cache: { enabled: true, ttl: 5 } },
      origins: { connectorsUrl: [path], enabled: [], 'cache.ttl': ['$PORTOLAN_CACHE_TTL'] },
      values: expect.arrayContaining([
        { key: 'enabled', value: true, from: [{ kind: 'default' }] },
        { key: 'cache.ttl', value: 5, from: [{ kind: 'environment', variable: 'PORTOLAN_CACHE_TTL' }] },
        { key: 'connectorsUrl', value: expect.any(String), from: [{ kind: 'file', path, line: 1 }] },
      ]),
      problems: [],
    });
    expect(['pw-1', 't-2', 'k-3'].filter((secret) => stdout.includes(secret))).toEqual([]);
    expect(config(machine, ['show', '--json', '--show-secrets']).stdout).toContain('pw-1');
  });
});

describe('portolan config validate', () => {
  it.each([
    { title: 'no file', files: {}, output: '0 settings files, 0 errors', code: 0 },
    {
      title: 'a good file',
      files: { '~/.config/portolan/portolan.config.json': '{ /* mine */ "enabled": true, }' },
      output: '1 settings file, 0 errors',
      code: 0,
    },
    {
      title: 'a wrong type',
      files: { '~/.config/portolan/portolan.config.json': '{\n"cache": {"ttl": "1h"}}' },
      output: 'error ~/.config/portolan/portolan.config.json:2\n  "cache.ttl" is not a number',
      code: 2,
    },
    {
      title: 'an unknown key of a project',
      files: { '<project>/portolan.config.json': '{"timeout": 5}' },
      output: '"timeout" is not a known setting',
      code: 2,
    },
    {
      title: 'code that does not parse',
      files: { '~/.config/portolan/portolan.config.mts': 'export default {\n  cache: }' },
      output: 'error ~/.config/portolan/portolan.config.mts:2\n  ParseError: Unexpected token',
      code: 2,
    },
  ])('exits with $code for $title', ({ files, output, code }) => {
    using machine = makeMachine();
    machine.write(files);
    const { status, stdout } = config(machine, ['validate']);
    expect(stdout).toContain(output);
    expect(status).toBe(code);
    expect(config(machine, ['validate', '--json']).status).toBe(code);
  });

  it('executes no code of a project', { tags: 'S12' }, () => {
    using machine = makeMachine();
    const canary = machine.path('<project>/canary');
    machine.write({
      '<project>/portolan.config.ts': `require('node:fs').writeFileSync(${JSON.stringify(canary)}, '');`,
      '<project>/node_modules/jiti/index.js': `require('node:fs').writeFileSync(${JSON.stringify(canary)}, '');`,
      '~/.config/portolan/portolan.config.ts': 'export default {};',
    });
    const { status, stdout } = config(machine, ['validate']);
    expect(stdout).toContain('they were not run');
    expect([status, existsSync(canary)]).toEqual([0, false]);
  });
});

describe('portolan config reload', () => {
  it('is not in the usage, and its error explains that files are reloaded automatically', () => {
    using machine = makeMachine();
    const { status, stdout, stderr } = config(machine, ['reload']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('reloads changed files by itself');
    expect(config(machine, ['--help']).stdout).not.toContain('reload');
  });
});

describe('the entry point', () => {
  it('imports no zod, no compiler and no JSONC parser for any command', () => {
    const seen = new Set<string>();
    const packages = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
        /(?:^|[;}\n])(?:import|export)[^;()'"]*?"([^"]+)"/g,
      )) {
        if (name.startsWith('.')) visit(resolve(dirname(file), name));
        else packages.add(name);
      }
    };
    visit(program);
    expect(seen.size).toBeGreaterThan(2);
    expect([...packages].filter((name) => !name.startsWith('node:'))).toEqual([]);
    const start = [...seen].map((file) => readFileSync(file, 'utf8')).join('\n');
    expect(start).not.toContain('jitiImport');
    expect(start).not.toContain('strictObject');
  });
});
