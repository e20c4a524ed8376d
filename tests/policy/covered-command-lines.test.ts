import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scanMachine, toRecord } from '../../src/discovery/index.js';
import { recordRuling } from '../../src/use-cases/index.js';
import { type Machine, makeMachine } from '../support/machine.js';

type Files = Readonly<Record<string, string>>;

interface Case {
  readonly title: string;
  /** `<p>` is the directory of the project. */
  readonly entry: object;
  readonly files?: Files;
  readonly executable?: readonly string[];
  readonly links?: readonly (readonly [string, string])[];
  readonly change: Files;
}

const COVERED: readonly Case[] = [
  {
    title: 'the package above a Python module',
    entry: { command: 'python3', args: ['-m', 'srv.main'] },
    change: { '<project>/srv/__init__.py': '1' },
  },
  {
    title: 'a module that hides the package of a Python module',
    entry: { command: 'python3', args: ['-m', 'srv.main'] },
    change: { '<project>/srv.py': '1' },
  },
  {
    title: 'sitecustomize.py in a directory of PYTHONPATH',
    entry: { command: 'python3', args: ['-m', 'srv'], env: { PYTHONPATH: 'lib' } },
    files: { '<project>/lib/a': '' },
    change: { '<project>/lib/sitecustomize.py': '1' },
  },
  {
    title: 'a compiled Python module',
    entry: { command: 'python3', args: ['-m', 'srv'] },
    change: { '<project>/srv.pyc': '1' },
  },
  {
    title: 'a quoted name with a space in code',
    entry: { command: 'node', args: ['-e', 'require("./my server.js")'] },
    files: { '<project>/my server.js': '1' },
    change: { '<project>/my server.js': '2' },
  },
  {
    title: 'a quoted name with a comma in code',
    entry: { command: 'node', args: ['-e', 'require("./a,b.js")'] },
    files: { '<project>/a,b.js': '1' },
    change: { '<project>/a,b.js': '2' },
  },
  {
    title: 'a name with an escaped space in a shell command',
    entry: { command: 'sh', args: ['-c', '. ./my\\ server.sh'] },
    files: { '<project>/my server.sh': '1' },
    change: { '<project>/my server.sh': '2' },
  },
  {
    title: 'a module named with percent encoding',
    entry: { command: 'node', args: ['--import', './%61.mjs', 'x'] },
    files: { '<project>/a.mjs': '1' },
    change: { '<project>/a.mjs': '2' },
  },
  {
    title: 'a module named with a query',
    entry: { command: 'node', args: ['--import', './a.mjs?x', 'x'] },
    files: { '<project>/a.mjs': '1' },
    change: { '<project>/a.mjs': '2' },
  },
  {
    title: 'a module in NODE_OPTIONS named with percent encoding',
    entry: { command: 'node', args: ['x'], env: { NODE_OPTIONS: '--import=./%61.mjs' } },
    files: { '<project>/a.mjs': '1' },
    change: { '<project>/a.mjs': '2' },
  },
  {
    title: 'a script below two directories that a shell enters',
    entry: { command: 'sh', args: ['-c', 'cd sub && cd deeper && ./x.sh'] },
    files: { '<project>/sub/deeper/x.sh': '1' },
    change: { '<project>/sub/deeper/x.sh': '2' },
  },
  {
    title: 'a program in a directory that env adds to PATH',
    entry: { command: 'env', args: ['PATH=./bin', 'server'] },
    files: { '<project>/bin/server': '1' },
    executable: ['<project>/bin/server'],
    change: { '<project>/bin/server': '2' },
  },
  {
    title: 'a program in a directory that a shell adds to PATH',
    entry: { command: 'sh', args: ['-c', 'PATH=./bin:$PATH; exec server'] },
    files: { '<project>/bin/server': '1' },
    executable: ['<project>/bin/server'],
    change: { '<project>/bin/server': '2' },
  },
  {
    title: 'a module that the first line of a script loads',
    entry: { command: './run' },
    files: { '<project>/run': '#!/usr/bin/env -S node -r ./hook.js\n', '<project>/hook.js': '1' },
    executable: ['<project>/run'],
    change: { '<project>/hook.js': '2' },
  },
  {
    title: 'the index of a directory that package.json names as main',
    entry: { command: 'node', args: ['./app'] },
    files: { '<project>/app/package.json': '{"main":"lib"}', '<project>/app/lib/index.js': '1' },
    change: { '<project>/app/lib/index.js': '2' },
  },
  {
    title: 'an installed package after -r',
    entry: { command: 'node', args: ['-r', 'hook', 'x'] },
    files: { '<project>/node_modules/hook/index.js': '1' },
    change: { '<project>/node_modules/hook/index.js': '2' },
  },
  {
    title: 'the main file of an installed package after -r',
    entry: { command: 'node', args: ['-r', 'hook', 'x'] },
    files: { '<project>/node_modules/hook/package.json': '{"main":"./l.js"}', '<project>/node_modules/hook/l.js': '1' },
    change: { '<project>/node_modules/hook/l.js': '2' },
  },
  {
    title: 'a file of an installed package after -r',
    entry: { command: 'node', args: ['-r', 'hook/reg', 'x'] },
    files: { '<project>/node_modules/hook/reg.js': '1' },
    change: { '<project>/node_modules/hook/reg.js': '2' },
  },
  {
    title: 'the exported file of an installed package after --import',
    entry: { command: 'node', args: ['--import', 'hook', 'x'] },
    files: {
      '<project>/node_modules/hook/package.json': '{"exports":{".":{"import":"./l.mjs"}}}',
      '<project>/node_modules/hook/l.mjs': '1',
    },
    change: { '<project>/node_modules/hook/l.mjs': '2' },
  },
  {
    title: 'package.json above the directory in which npm runs',
    entry: { command: 'npm', args: ['run', 'mcp'], cwd: '<p>/sub' },
    files: { '<project>/sub/a': '', '<project>/package.json': '{}' },
    change: { '<project>/package.json': '{ }' },
  },
  {
    title: 'an installed program above the directory in which npx runs',
    entry: { command: 'npx', args: ['foo'], cwd: '<p>/sub' },
    files: { '<project>/sub/a': '', '<project>/node_modules/.bin/foo': '1' },
    change: { '<project>/node_modules/.bin/foo': '2' },
  },
  {
    title: 'a module for an interpreter with another name',
    entry: { command: './foo', args: ['-m', 'srv'] },
    files: { '<project>/srv.py': '1' },
    links: [['<project>/foo', '/usr/bin/python3']],
    change: { '<project>/srv.py': '2' },
  },
  {
    title: 'the module of an ASGI server',
    entry: { command: 'uvicorn', args: ['server:app'] },
    files: { '<project>/server.py': '1' },
    change: { '<project>/server.py': '2' },
  },
  {
    title: 'package.json for `node --run`',
    entry: { command: 'node', args: ['--run', 'mcp'] },
    files: { '<project>/package.json': '{}' },
    change: { '<project>/package.json': '{ }' },
  },
  {
    title: 'a Lua module',
    entry: { command: 'lua', args: ['-l', 'foo'] },
    files: { '<project>/foo.lua': '{}' },
    change: { '<project>/foo.lua': '{ }' },
  },
  {
    title: 'a Perl module',
    entry: { command: 'perl', args: ['-I.', '-MFoo', '-e', '1'] },
    files: { '<project>/Foo.pm': '{}' },
    change: { '<project>/Foo.pm': '{ }' },
  },
  {
    title: 'a nested Perl module',
    entry: { command: 'perl', args: ['-Ilib', '-MFoo::Bar', '-e', '1'] },
    files: { '<project>/lib/Foo/Bar.pm': '{}' },
    change: { '<project>/lib/Foo/Bar.pm': '{ }' },
  },
  {
    title: 'a script whose extension bun adds',
    entry: { command: 'bun', args: ['./server'] },
    files: { '<project>/server.tsx': '{}' },
    change: { '<project>/server.tsx': '{ }' },
  },
  {
    title: 'a script named through /proc',
    entry: { command: 'node', args: ['/proc/self/cwd/server.js'] },
    files: { '<project>/server.js': '1' },
    change: { '<project>/server.js': '2' },
  },
  {
    title: 'a script named through ~',
    entry: { command: 'sh', args: ['-c', 'python3 ~/../project/server.py'] },
    files: { '<project>/server.py': '1' },
    change: { '<project>/server.py': '2' },
  },
  {
    title: 'a script named through $HOME',
    entry: { command: 'sh', args: ['-c', 'python3 $HOME/../project/server.py'] },
    files: { '<project>/server.py': '1' },
    change: { '<project>/server.py': '2' },
  },
  {
    title: '.envrc for direnv',
    entry: { command: 'direnv', args: ['exec', '.', 'x'] },
    files: { '<project>/.envrc': '1' },
    change: { '<project>/.envrc': '2' },
  },
  {
    title: 'flake.nix for nix',
    entry: { command: 'nix', args: ['run'] },
    files: { '<project>/flake.nix': '1' },
    change: { '<project>/flake.nix': '2' },
  },
  {
    title: 'mise.toml for mise',
    entry: { command: 'mise', args: ['run', 'x'] },
    files: { '<project>/mise.toml': '1' },
    change: { '<project>/mise.toml': '2' },
  },
  {
    title: 'the second program in PATH',
    entry: { command: 'srv', env: { PATH: './b1:./b2' } },
    files: { '<project>/b1/srv': '1', '<project>/b2/srv': '1' },
    executable: ['<project>/b2/srv'],
    change: { '<project>/b2/srv': '2' },
  },
  {
    title: '.zshenv in ZDOTDIR',
    entry: { command: 'zsh', args: ['-c', 'x'], env: { ZDOTDIR: '.' } },
    files: { '<project>/.zshenv': '1' },
    change: { '<project>/.zshenv': '2' },
  },
  {
    title: 'a script in a linked working directory',
    entry: { command: 'python3', args: ['server.py'], cwd: '<p>/l' },
    files: { '<project>/a/server.py': '1' },
    links: [['<project>/l', 'a']],
    change: { '<project>/a/server.py': '2' },
  },
  {
    title: 'a Java class',
    entry: { command: 'java', args: ['-cp', 'cls', 'Main'] },
    files: { '<project>/cls/Main.class': '1' },
    change: { '<project>/cls/Main.class': '2' },
  },
  {
    title: 'the index of a directory after --require',
    entry: { command: 'node', args: ['--require=./hooks/'] },
    files: { '<project>/hooks/index.js': '1' },
    change: { '<project>/hooks/index.js': '2' },
  },
  {
    title: 'a script that a shell reads from its input',
    entry: { command: 'bash', args: ['-c', 'bash <./x.sh'] },
    files: { '<project>/x.sh': '1' },
    change: { '<project>/x.sh': '2' },
  },
  {
    title: 'a module in `env -S`',
    entry: { command: 'env', args: ['-S', 'node -r ./h.js x'] },
    files: { '<project>/h.js': '1' },
    change: { '<project>/h.js': '2' },
  },
  {
    title: 'a partly quoted name in a shell command',
    entry: { command: 'sh', args: ['-c', 'python3 ./ser"ver.py"'] },
    files: { '<project>/server.py': '1' },
    change: { '<project>/server.py': '2' },
  },
  {
    title: 'a Python module joined to several options',
    entry: { command: 'python3', args: ['-umsrv'] },
    files: { '<project>/srv.py': '1' },
    change: { '<project>/srv.py': '2' },
  },
  {
    title: 'a headers helper found through PATH',
    entry: { type: 'http', url: 'https://h.example/', headersHelper: 'gethdr', env: { PATH: './bin' } },
    files: { '<project>/bin/gethdr': '1' },
    executable: ['<project>/bin/gethdr'],
    change: { '<project>/bin/gethdr': '2' },
  },
  {
    title: 'a Python module of a headers helper',
    entry: { type: 'http', url: 'https://h.example/', headersHelper: 'python3 -m hdr' },
    files: { '<project>/hdr.py': '1' },
    change: { '<project>/hdr.py': '2' },
  },
  {
    title: 'the second program in PATH, if others alone may execute the first',
    entry: { command: 'srv', env: { PATH: './b1:./b2' } },
    files: { '<project>/b1/srv': '1', '<project>/b2/srv': '1' },
    executable: ['<project>/b1/srv', '<project>/b2/srv'],
    change: { '<project>/b2/srv': '2' },
  },
  {
    title: 'package.json for `node .`',
    entry: { command: 'node', args: ['.'] },
    files: { '<project>/package.json': '{"main":"./a"}', '<project>/a/index.js': '1' },
    change: { '<project>/a/index.js': '2' },
  },
  {
    title: 'a script in a directory after two options of make',
    entry: { command: 'make', args: ['-C', 'a', '-C', 'b'] },
    files: { '<project>/a/b/Makefile': '1' },
    change: { '<project>/a/b/Makefile': '2' },
  },
  {
    title: 'a program that uv finds in the environment of the project',
    entry: { command: 'uv', args: ['run', 'srv'], cwd: '<p>/sub' },
    files: { '<project>/sub/a': '', '<project>/.venv/bin/srv': '1' },
    change: { '<project>/.venv/bin/srv': '2' },
  },
  {
    title: '.env for docker compose',
    entry: { command: 'docker', args: ['compose', 'run', 'server'] },
    files: { '<project>/compose.yaml': 'a', '<project>/.env': 'A=1' },
    change: { '<project>/.env': 'A=2' },
  },
];

const NOT_COVERED: readonly Case[] = [
  {
    title: 'a script with the name of an argument for a program that is no interpreter',
    entry: { command: 'npx', args: ['-y', 'some-mcp', 'stdio'] },
    files: { '<project>/stdio.js': '1', '<project>/index.js': '1' },
    change: { '<project>/stdio.js': '2', '<project>/index.js': '2' },
  },
  {
    title: 'another script beside the one that runs',
    entry: { command: 'node', args: ['./server.js'] },
    files: { '<project>/server.js': '1' },
    change: { '<project>/other.js': '2', '<project>/index.js': '2', '<project>/package.json': '{}' },
  },
  {
    title: 'a file of that name in the home directory',
    entry: { command: 'node', args: ['./server.js', '~/notes.txt'] },
    files: { '<project>/server.js': '1', '~/server.js': '1', '~/notes.txt': '1' },
    change: { '~/server.js': '2', '~/notes.txt': '2', '<project>/notes.txt': '2' },
  },
  {
    title: '.env for programs that do not read it',
    entry: { command: 'npm', args: ['run', 'mcp'] },
    files: { '<project>/.env': 'A=1' },
    change: { '<project>/.env': 'A=2' },
  },
  {
    title: 'a file that has the name of a program in PATH',
    entry: { command: 'python3', args: ['-m', 'app'] },
    files: { '<project>/app.py': '1' },
    change: { '<project>/python3': '2' },
  },
];

/** The state of the only server after its approval, and again after the change. */
async function statesAround(machine: Machine, { entry, files = {}, executable = [], links = [], change }: Case) {
  mkdirSync(join(machine.project, '.git'));
  const config = JSON.stringify({ mcpServers: { own: entry } }).replaceAll('<p>', machine.project);
  machine.write({ '<project>/.mcp.json': config, ...files });
  for (const path of executable) chmodSync(machine.path(path), 0o755);
  for (const [path, target] of links) {
    mkdirSync(dirname(machine.path(path)), { recursive: true });
    symlinkSync(target, machine.path(path));
  }
  const scan = () => scanMachine(machine.options({ env: { PATH: process.env.PATH } }));
  const discovery = await scan();
  const [server] = discovery.servers;
  if (!server) throw new Error('there is no server');
  await recordRuling([server.definition], 'approved', discovery, new Date());
  const before = (await scan()).servers.map(toRecord)[0]?.state;
  machine.write(change);
  return [before, (await scan()).servers.map(toRecord)[0]?.state];
}

describe.skipIf(process.platform === 'win32')('an approval of a command line', () => {
  it.each(COVERED)('covers $title', async (one) => {
    using machine = makeMachine();
    expect(await statesAround(machine, one)).toEqual(['ready', 'pending-approval']);
  });

  it.each(NOT_COVERED)('does not cover $title', async (one) => {
    using machine = makeMachine();
    expect(await statesAround(machine, one)).toEqual(['ready', 'ready']);
  });
});
