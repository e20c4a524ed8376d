import { describe, expect, it } from 'vitest';
import { baseName, installedPackage, packageName, startedBy } from './command-line.js';

/** `package:name` and `program:word` in the order in which they are found. */
function found(line: readonly [string, ...string[]]): string[] {
  const [command, ...args] = line;
  return startedBy(command, args).map(({ kind, word }) => `${kind}:${word}`);
}

const LINES: readonly { readonly line: readonly [string, ...string[]]; readonly starts: readonly string[] }[] = [
  // programs, and arguments that are data
  { line: ['server'], starts: ['program:server'] },
  { line: ['git', '-C', '/src/x', 'log'], starts: ['program:git'] },
  { line: [''], starts: [] },
  // scripts
  { line: ['node', 'a.js', 'b.js'], starts: ['program:node', 'program:a.js'] },
  { line: ['node', '--enable-source-maps', '-r', 'hook', 'a.js'], starts: ['program:node', 'program:a.js'] },
  { line: ['node', '--env-file', '.env', '--import=x', 'a.js'], starts: ['program:node', 'program:a.js'] },
  { line: ['node', '-e', 'code', 'data'], starts: ['program:node'] },
  { line: ['deno', 'run', '-A', 'npm:server@1', 'x'], starts: ['program:deno', 'package:npm:server@1'] },
  { line: ['bun', 'run', '--cwd', '/srv', 'a.ts'], starts: ['program:bun', 'program:a.ts'] },
  // packages
  { line: ['npx', '-y', 'server@1.2', '/data'], starts: ['program:npx', 'package:server@1.2'] },
  {
    line: ['npx', '-p', 'one', '--package=two', 'bin'],
    starts: ['program:npx', 'package:one', 'package:two', 'package:bin'],
  },
  { line: ['npx', '--registry', 'https://r.example', 'server'], starts: ['program:npx', 'package:server'] },
  { line: ['npx', '-p', 'one', '-c', 'bin --flag'], starts: ['program:npx', 'package:one', 'program:bin'] },
  {
    line: ['C:\\Program Files\\nodejs\\npx.cmd', 'server'],
    starts: ['program:C:\\Program Files\\nodejs\\npx.cmd', 'package:server'],
  },
  { line: ['npm', 'exec', '--', 'server'], starts: ['program:npm', 'package:server'] },
  { line: ['npm', '--prefix', '/srv', 'x', 'server'], starts: ['program:npm', 'package:server'] },
  { line: ['npm', 'run', 'server'], starts: ['program:npm'] },
  { line: ['pnpm', '--dir', '/srv', 'dlx', 'server'], starts: ['program:pnpm', 'package:server'] },
  { line: ['pnpm', 'run', 'server'], starts: ['program:pnpm', 'program:server'] },
  { line: ['yarn', 'dlx', '-p', 'one', 'bin'], starts: ['program:yarn', 'package:one', 'package:bin'] },
  { line: ['yarn', 'server'], starts: ['program:yarn', 'program:server'] },
  { line: ['bunx', '--bun', 'server'], starts: ['program:bunx', 'package:server'] },
  { line: ['bun', 'x', 'server'], starts: ['program:bun', 'package:server'] },
  { line: ['uvx', '--from', 'dist', 'server'], starts: ['program:uvx', 'package:server'] },
  { line: ['uv', '--directory', '/srv', 'run', 'server.py'], starts: ['program:uv', 'package:server.py'] },
  { line: ['uv', 'run', '--directory', '/srv', 'server.py'], starts: ['program:uv', 'package:server.py'] },
  { line: ['uv', 'tool', 'run', 'server'], starts: ['program:uv', 'package:server'] },
  // wrappers
  { line: ['env', '-u', 'A', 'B=1', 'node', 'a.js'], starts: ['program:node', 'program:a.js'] },
  { line: ['env', '-S', 'node a.js'], starts: ['program:node', 'program:a.js'] },
  { line: ['/usr/bin/env', 'server'], starts: ['program:server'] },
  { line: ['sudo', '-u', 'me', '--', 'server'], starts: ['program:server'] },
  { line: ['timeout', '-k', '5', '30', 'server'], starts: ['program:server'] },
  { line: ['wsl', '-d', 'Ubuntu', '--', 'server'], starts: ['program:server'] },
  { line: ['op', 'run', '--env-file=x', '--', 'server'], starts: ['program:op', 'program:server'] },
  { line: ['cmd', '/c', 'npx', '-y', 'server'], starts: ['program:npx', 'package:server'] },
  { line: ['cmd.exe', '/d', '/s', '/c', 'npx -y server'], starts: ['program:npx', 'package:server'] },
  {
    line: ['cmd', '/c', 'set', 'A=1', '&&', 'npx', 'server'],
    starts: ['program:set', 'program:npx', 'package:server'],
  },
  { line: ['cmd', '/c', 'start', '/b', 'server'], starts: ['program:server'] },
  { line: ['cmd', '/c', 'C:\\My Files\\server.cmd', '-v'], starts: ['program:C:\\My Files\\server.cmd'] },
  // shells
  { line: ['sh', '-c', 'A=1 exec npx server'], starts: ['program:npx', 'package:server'] },
  {
    line: ['bash', '-lc', 'cd /srv && if true; then node "a b.js"; fi'],
    starts: ['program:cd', 'program:true', 'program:node', 'program:a b.js', 'program:fi'],
  },
  { line: ['bash', '-o', 'pipefail', '-c', 'server'], starts: ['program:server'] },
  { line: ['bash', '-c', 'echo "npx server"'], starts: ['program:echo'] },
  { line: ['bash', 'run.sh', '-c', 'data'], starts: ['program:run.sh'] },
  { line: ['sh', '-c', `bash -c "node 'a.js'"`], starts: ['program:node', 'program:a.js'] },
  {
    line: ['powershell', '-NoProfile', '-Command', '$env:A=1; & npx -y server'],
    starts: ['program:$env:A=1', 'program:npx', 'package:server'],
  },
  { line: ['pwsh', '-NoLogo', 'npx', 'server'], starts: ['program:npx', 'package:server'] },
  { line: ['pwsh', '-File', 'C:\\my run.ps1', 'x'], starts: ['program:C:\\my run.ps1'] },
  // a whole command line in place of the program
  { line: ['npx -y server /data'], starts: ['program:npx', 'package:server'] },
  { line: ['/My Files/server'], starts: ['program:/My Files/server', 'program:/My'] },
  { line: ['server /data/other'], starts: ['program:server'] },
  // proxies that start a server
  {
    line: ['npx', 'supergateway', '--stdio', 'npx server'],
    starts: ['program:npx', 'package:supergateway', 'program:npx', 'package:server'],
  },
  { line: ['mcp-proxy', '--', 'npx', 'server'], starts: ['program:mcp-proxy', 'program:npx', 'package:server'] },
  { line: ['mcp-proxy', 'https://x.example/server'], starts: ['program:mcp-proxy'] },
];

describe('startedBy', () => {
  it.each(LINES)('finds the programs started by $line', ({ line, starts }) => {
    expect(found(line)).toEqual(starts);
  });

  it('stops at endlessly nested wrappers', () => {
    expect(found(['env', ...Array.from({ length: 50 }, () => 'env'), 'server'])).toEqual([]);
  });
});

describe('names', () => {
  it.each([
    ['/usr/bin/Server', 'server'],
    ['C:\\bin\\server.CMD', 'server'],
    ['./dist/server.mjs', 'server'],
    ['server.py', 'server.py'],
  ])('the base name of %s is %s', (word, name) => {
    expect(baseName(word)).toBe(name);
  });

  it.each([
    ['server@1.2.3', 'server'],
    ['@acme/server@latest', '@acme/server'],
    ['npm:Server', 'server'],
    ['@acme/server', '@acme/server'],
  ])('the package of %s is %s', (word, name) => {
    expect(packageName(word)).toBe(name);
  });

  it.each([
    ['/lib/node_modules/server/dist/a.js', 'server'],
    ['/lib/node_modules/a/node_modules/@acme/b/c.js', '@acme/b'],
    ['C:\\x\\node_modules\\@acme\\b\\c.js', '@acme/b'],
    ['/src/server/a.js', undefined],
  ])('the file %s was installed with %s', (path, name) => {
    expect(installedPackage(path)).toBe(name);
  });
});
