import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environment, PROGRAM } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';
import { needs } from '../support/programs.js';

let machine: Machine;
let env: Record<string, string>;

/** Server names of a hostile file. A shell must not execute, split or expand any of them. */
const NAMES = ['notes', 'my notes', 'plugin:git:hub', '$(touch pwned)', '`touch pwned`', '*', "it's", '-rf', 'a\nb'];

beforeAll(() => {
  machine = makeMachine();
  const mcpServers = Object.fromEntries(NAMES.map((name, n) => [name, { command: 'node', args: [`${n}.js`] }]));
  machine.write({ '~/.cursor/mcp.json': JSON.stringify({ mcpServers }) });
  const bin = machine.path('~/bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'portolan'), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  chmodSync(join(bin, 'portolan'), 0o755);
  env = environment(machine, { PATH: `${bin}:${process.env.PATH ?? ''}`, PORTOLAN_DAEMON: 'never' });
});
afterAll(() => machine[Symbol.dispose]());

function shell(program: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: machine.project,
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

/** The completions of bash at the end of a line. */
function offeredByBash(line: string): string[] {
  const script = `
    source <(portolan completion bash)
    COMP_LINE=$1 COMP_POINT=\${#1}
    _portolan
    (( \${#COMPREPLY[@]} )) && printf '%s\\n' "\${COMPREPLY[@]}"
    exit 0`;
  const { stdout, stderr } = shell('bash', ['--norc', '-c', script, 'bash', line]);
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

describe('bash', needs('bash'), () => {
  it('parses the script', () => {
    const { stdout } = shell('portolan', ['completion', 'bash']);
    expect(spawnSync('bash', ['-n'], { input: stdout, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([
    { line: 'portolan in', offers: ['inspect', 'install'] },
    { line: 'portolan --v', offers: ['--version'] },
    {
      line: 'portolan approve --',
      offers: ['--json', '--client', '--all', '--list', '--yes', '--from-lock', '--settings', '--help'],
    },
    { line: 'portolan list --show', offers: ['--show-secrets'] },
    { line: 'portolan serve --leave', offers: [] },
    { line: 'portolan serve --daemon ', offers: ['auto', 'require', 'never'] },
    { line: 'portolan daemon st', offers: ['start', 'stop', 'status'] },
    { line: 'portolan completion ', offers: ['bash', 'zsh', 'fish'] },
    { line: 'portolan help exit', offers: ['exit-codes'] },
    { line: 'portolan help app', offers: ['approve', 'approval'] },
    { line: 'portolan install cur', offers: ['cursor'] },
    { line: 'portolan list --client vscode-', offers: ['vscode-insiders'] },
    { line: 'portolan tools no', offers: ['notes'] },
    { line: 'portolan approve notes not', offers: ['notes'] },
    { line: 'portolan inspect notes no', offers: [] },
    { line: 'portolan tools plugin:git:', offers: ['hub'] },
    { line: 'portolan search --server my', offers: ['my\\ notes'] },
  ])('offers $offers after "$line"', ({ line, offers }) => {
    expect(offeredByBash(line)).toEqual(offers);
  });

  it('offers server names quoted, executes none of them, and omits names that cannot be typed', () => {
    expect(offeredByBash('portolan tools ').toSorted()).toEqual(
      [
        "it\\'s",
        'my\\ notes',
        'notes',
        'plugin:git:hub',
        '\\$\\(touch\\ pwned\\)',
        '\\*',
        '\\`touch\\ pwned\\`',
      ].toSorted(),
    );
    expect(existsSync(join(machine.project, 'pwned'))).toBe(false);
  });

  it('completes in an interactive shell', () => {
    const typed =
      'source <(portolan completion bash)\nbind "set show-all-if-ambiguous on"\nportolan doc\t --js\t\nexit\n';
    const { stdout } = spawnSync('bash', ['--norc', '-i'], {
      cwd: machine.project,
      env,
      input: typed,
      encoding: 'utf8',
    });
    expect(stdout).toContain('"problems"');
  });
});

describe('zsh', needs('zsh'), () => {
  it('offers server names unquoted, and executes none of them', () => {
    const script = `
      autoload -Uz compinit && compinit -u -D
      source <(portolan completion zsh)
      [[ $_comps[portolan] == _portolan ]] && print registered
      compadd() { while [[ $1 == -* && $1 != -- ]]; do shift; done; [[ $1 == -- ]] && shift; print -rl -- "$@" }
      _portolan_servers`;
    const lines = shell('zsh', ['-f', '-c', script]).stdout.split('\n').filter(Boolean);
    expect(lines[0]).toBe('registered');
    expect(lines.slice(1).toSorted()).toEqual(NAMES.filter((name) => !/^-|\n/.test(name)).toSorted());
    expect(existsSync(join(machine.project, 'pwned'))).toBe(false);
  });

  it.each([
    { typed: 'portolan doc', becomes: 'portolan doctor' },
    { typed: 'portolan list --show', becomes: 'portolan list --show-secrets' },
    { typed: 'portolan serve --daemon req', becomes: 'portolan serve --daemon require' },
    { typed: 'portolan tools no', becomes: 'portolan tools notes' },
  ])('completes "$typed" to "$becomes" in an interactive shell', ({ typed, becomes }) => {
    const script = `
      zmodload zsh/zpty
      zpty typist "zsh -f -i"
      zpty -w typist "PS1=; module_path=($module_path); fpath=($fpath); autoload -Uz compinit; compinit -u -D"
      zpty -w typist "source <(portolan completion zsh); print REA''DY"
      while zpty -r typist line; do [[ $line == *READY* ]] && break; done
      zpty -w -n typist "$1"$'\\t'
      for ((n = 0; n < 100; n++)); do
        zpty -r -t typist line && seen+=$line
        [[ $seen == *$2* ]] && { print completed; break }
        sleep 0.1
      done
      zpty -d typist`;
    expect(shell('zsh', ['-f', '-c', script, 'zsh', typed, becomes]).stdout).toBe('completed\n');
  });
});
describe('fish', needs('fish'), () => {
  it.each([
    { line: 'portolan in', offers: ['inspect', 'install'] },
    { line: 'portolan daemon st', offers: ['start', 'stop', 'status'] },
    { line: 'portolan list --show', offers: ['--show-secrets'] },
    { line: 'portolan tools no', offers: ['notes'] },
  ])('offers $offers after "$line"', ({ line, offers }) => {
    const { stdout } = shell('fish', ['-c', 'portolan completion fish | source; complete -C $argv[1]', line]);
    const words = stdout
      .split('\n')
      .filter(Boolean)
      .map((one) => one.split('\t')[0]);
    expect(words.toSorted()).toEqual(offers.toSorted());
  });
});

it.each(['bash', 'zsh', 'fish'])('the script for %s has every command and every documented flag', (name) => {
  const { stdout } = shell('portolan', ['completion', name]);
  const missing = ['tour', 'completion', 'show-secrets', 'mcp-client-id', 'from-lock'].filter(
    (one) => !stdout.includes(one),
  );
  expect({ missing, hidden: /leave-when-idle|-l names|--names\b(?! 2>)/.test(stdout) }).toEqual({
    missing: [],
    hidden: false,
  });
});

it('exits with 2 for an unknown shell', () => {
  const { status, stderr } = shell('portolan', ['completion', 'tcsh']);
  expect({ status, hasUsage: stderr.includes('bash|zsh|fish') }).toEqual({ status: 2, hasUsage: true });
});
