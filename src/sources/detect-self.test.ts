import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { diskFiles } from '../base/index.js';
import type { Host } from '../model/host.js';
import { startedBy } from './command-line.js';
import { whyIsSelf } from './detect-self.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'self-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function makeHost(changes: Partial<Host> = {}): Host {
  const fixed = { platform: 'linux', home: folder, cwd: folder, repository: undefined, env: {}, root: '' } as const;
  return { ...fixed, files: diskFiles, self: undefined, ...changes };
}

type Line = readonly [string, ...string[]];

function isSelf([command, ...args]: Line, { name = 'charts', host = makeHost(), cwd = '/srv' } = {}): boolean {
  return whyIsSelf(name, startedBy(command, args), cwd, host) !== undefined;
}

const OURS: readonly Line[] = [
  ['portolan'],
  ['portolan', 'serve'],
  ['/usr/local/bin/portolan'],
  ['C:\\Users\\x\\AppData\\Roaming\\npm\\portolan.cmd'],
  ['"C:\\Program Files\\portolan\\portolan.exe" serve'],
  ['/Applications/My Tools/portolan'],
  ['npx', 'portolan'],
  ['npx', '-y', 'portolan@1.2.3'],
  ['npx', '--yes', 'portolan@latest', 'serve'],
  ['npx', '-p', 'portolan', 'portolan'],
  ['npx', '--package=portolan@next', '-c', 'portolan serve'],
  ['npx', 'github:someone/portolan'],
  ['npx -y portolan'],
  ['/usr/bin/npx', '-y', 'portolan'],
  ['npm', 'exec', '--', 'portolan'],
  ['npm', 'exec', '--package=portolan', '--', 'portolan'],
  ['npm', 'x', '-y', 'portolan'],
  ['pnpm', 'dlx', 'portolan'],
  ['pnpm', '--silent', 'dlx', 'portolan@latest'],
  ['pnpm', 'exec', 'portolan'],
  ['yarn', 'dlx', 'portolan'],
  ['yarn', 'portolan'],
  ['bunx', 'portolan'],
  ['bun', 'x', 'portolan'],
  ['deno', 'run', '-A', 'npm:portolan'],
  ['node', '/work/portolan/dist/cli.js'],
  ['node', '--enable-source-maps', '/opt/portolan/dist/cli.js', 'serve'],
  ['node', 'C:\\src\\portolan\\dist\\cli.js'],
  ['node', '/usr/lib/node_modules/portolan/dist/anything.js'],
  ['node', '/usr/lib/node_modules/portolan/dist/examples/../cli.js'],
  ['bun', '/work/portolan/dist/cli.js'],
  ['tsx', '/work/portolan/src/cli/main.ts'],
  ['cmd', '/c', 'npx', '-y', 'portolan'],
  ['cmd.exe', '/d', '/s', '/c', 'npx -y portolan'],
  ['cmd', '/c', 'portolan'],
  ['sh', '-c', 'npx -y portolan'],
  ['bash', '-lc', 'cd /srv && FOO=1 exec npx "portolan@latest"'],
  ['zsh', '-c', "export A=b; 'portolan' serve"],
  ['powershell', '-NoProfile', '-Command', 'npx -y portolan'],
  ['pwsh', '-c', '& "C:\\npm\\portolan.ps1"'],
  ['env', 'FOO=1', 'npx', 'portolan'],
  ['sudo', '-u', 'me', 'portolan'],
  ['npx', '-yp', 'portolan', 'portolan'],
  ['npx', '--package', 'portolan@1', '--', 'portolan', 'serve'],
  ['npx', '--package=portolan@1', 'anything'],
  ['npx', '--call=portolan serve'],
  ['npx', 'portolan@^1.2.0'],
  ['npx', 'gw@npm:portolan@1'],
  ['npx', 'git+https://git.example/someone/portolan.git#v1'],
  ['npx', 'https://registry.example/portolan/-/portolan-1.2.3.tgz'],
  ['npx', './portolan-1.2.3.tgz'],
  ['npx', 'tsx', '/work/portolan/src/cli/main.ts'],
  ['npm', '--silent', 'exec', '--yes', '--package', 'portolan@1', '--', 'portolan'],
  ['npm', 'exec', '-c', 'portolan serve'],
  ['pnpm', '--package=portolan@1', 'dlx', 'portolan', 'serve'],
  ['pnpm', '--package', 'portolan', 'dlx', 'portolan'],
  ['pnpx', 'portolan@1'],
  ['yarn', 'dlx', '-p', 'portolan@1', 'portolan'],
  ['yarn', 'dlx', '--package', 'portolan', 'portolan'],
  ['bunx', '--bun', 'portolan@latest'],
  ['bunx', '-p', 'portolan', 'portolan'],
  ['bun', 'run', 'portolan'],
  ['corepack', 'pnpm', 'dlx', 'portolan'],
  ['fnm', 'exec', '--using=20', '--', 'npx', 'portolan'],
  ['cmd', '/cportolan', 'serve'],
  ['cmd', '/c', 'start', '/wait', 'portolan'],
  ['bash', '-c', 'exec portolan serve "$@"'],
  ['bash', '-c', '--', 'portolan'],
  ['sh', '-c', 'exec "$@"', 'sh', 'portolan', 'serve'],
  ['sh', '-c', '"$0" serve', 'portolan'],
  ['env', '-i', '-u', 'A', 'B=1', 'portolan'],
  ['env', '--', 'portolan'],
  ['env', '-S', 'npx -y portolan'],
  ['env', '-iS', 'npx -y portolan'],
  ['env', '--split-string=npx -y portolan'],
  ['/usr/bin/env', '-Snpx', '-y', 'portolan'],
  ['npx', '-y', 'supergateway', '--stdio', 'npx -y portolan'],
];

const OTHERS: readonly Line[] = [
  ['npx', '-y', '@acme/server-files', '/src/portolan'],
  ['npx', '@acme/server-files', '--', '/src/portolan'],
  ['server-files', '--root=/x/portolan'],
  ['server-files', '--root', 'portolan'],
  ['server-files /src/portolan'],
  ['/usr/bin/server-files /src/portolan'],
  ['npx', 'portolan-tools'],
  ['npx', 'git+https://git.example/portolan/charts.git'],
  ['npx', 'portolan-charts-1.0.0.tgz'],
  ['npx', '-c', 'charts --for portolan'],
  ['npx', 'charts@npm:charts-portolan@1'],
  ['npx', 'tsx', 'server.ts', '/work/portolan/src/cli/main.ts'],
  ['pnpm', '--package=charts', 'dlx', 'charts', 'portolan'],
  ['env', 'GATEWAY=portolan', 'charts'],
  ['env', '-S', 'charts portolan'],
  ['sh', '-c', 'exec "$@"', 'portolan', 'charts'],
  ['sh', '-c', 'command -v portolan >/dev/null && exec charts'],
  ['cmd', '/ccharts', 'portolan'],
  ['npx', '@acme/portolan-x'],
  ['npx', '-y', '@acme/portolan'],
  ['pnpm', 'dlx', '@acme/portolan@1.2.3'],
  ['npx', '-p', '@acme/portolan', 'charts'],
  ['npx', '--registry', 'https://npm.example/portolan', 'server'],
  ['npx', '--prefix', '/src/portolan', 'server'],
  ['node', '/work/portolan/examples/weather.js'],
  ['node', '/work/portolan/dist/weather.js'],
  ['node', '/usr/lib/node_modules/portolan/dist/examples/weather.js'],
  ['node', '-e', 'start()', 'portolan'],
  ['node', 'server.js', '/work/portolan/dist/cli.js'],
  ['git', '-C', '/src/portolan', 'log'],
  ['uv', 'run', '--directory', '/src/portolan', 'server.py'],
  ['uv', '--directory', '/src/portolan', 'run', 'server.py'],
  ['docker', 'run', '-i', '-v', '/src/portolan:/src', 'acme/files'],
  ['bash', '-c', 'echo "npx portolan"'],
  ['bash', '-c', 'cd /src/portolan && node server.js'],
  ['cmd', '/c', 'npx', 'server-files', 'C:\\src\\portolan'],
  ['mcp-proxy', 'https://hub.example/portolan'],
  ['/opt/portolan/tools/weather'],
];

describe('whyIsSelf', () => {
  it.each(OURS.map((line) => ({ line })))('identifies $line as this gateway', ({ line }) => {
    expect(isSelf(line)).toBe(true);
  });

  it.each(OTHERS.map((line) => ({ line })))('identifies $line as another server', ({ line }) => {
    expect(isSelf(line)).toBe(false);
  });

  it.each([
    { name: 'portolan', self: true },
    { name: 'Portolan', self: true },
    { name: 'PORTOLAN', self: true },
    { name: 'plugin:charts:portolan', self: true },
    { name: 'portolan-notes', self: false },
    { name: 'my portolan', self: false },
    { name: 'plugin:portolan:notes', self: false },
  ])('with the key $name: $self', ({ name, self }) => {
    expect(isSelf(['node', 'server.js'], { name })).toBe(self);
  });

  it('accepts a URL', () => {
    expect(whyIsSelf('charts', [], '/srv', makeHost())).toBeUndefined();
  });

  it('resolves a relative script from the directory in which it runs', () => {
    expect(isSelf(['node', 'dist/cli.js'], { cwd: '/work/portolan' })).toBe(true);
    expect(isSelf(['node', 'dist/cli.js'], { cwd: '/work/other' })).toBe(false);
    expect(isSelf(['node', 'server.js'], { cwd: '/work/portolan' })).toBe(false);
  });
});

describe('selfReason, by real path', () => {
  for (const name of ['app', 'bin', 'links']) mkdirSync(join(folder, name));
  const program = join(folder, 'app', 'program.js');
  const other = join(folder, 'app', 'other.js');
  for (const path of [program, other]) writeFileSync(path, '');
  symlinkSync(program, join(folder, 'bin', 'charts'));
  symlinkSync(join(folder, 'bin', 'charts'), join(folder, 'links', 'again.js'));
  symlinkSync(other, join(folder, 'bin', 'elsewhere'));
  const host = makeHost({ self: program, env: { PATH: `/nowhere:relative:${join(folder, 'bin')}` } });

  it.each<{ title: string; line: Line; self: boolean }>([
    { title: 'the program itself', line: ['node', program], self: true },
    { title: 'a symlink to it', line: [join(folder, 'bin', 'charts')], self: true },
    { title: 'a symlink to a symlink, as a script', line: ['node', join(folder, 'links', 'again.js')], self: true },
    { title: 'a program in PATH', line: ['charts', 'serve'], self: true },
    { title: 'a program in PATH, in a shell', line: ['sh', '-c', 'exec charts'], self: true },
    { title: 'a path from home', line: ['~/bin/charts'], self: true },
    { title: 'a script beside the project', line: ['node', './app/program.js'], self: true },
    { title: 'a script without its extension', line: ['node', './app/program'], self: true },
    { title: 'another script', line: ['node', other], self: false },
    { title: 'a symlink to another program', line: ['elsewhere'], self: false },
    { title: 'the program as an argument', line: ['cat', program], self: false },
    { title: 'nothing at all', line: ['/nowhere/charts'], self: false },
    { title: 'an invalid file name', line: ['a\0b'], self: false },
  ])('$title: $self', ({ line, self }) => {
    expect(isSelf(line, { host, cwd: folder })).toBe(self);
  });

  it('identifies an unmarked script as another server if the own program is unknown', () => {
    expect(isSelf(['node', program], { cwd: folder })).toBe(false);
  });
});
