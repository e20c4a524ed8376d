import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from '../../../tests/fixtures/remote/connect-remote.js';
import { ErrorCode, identityOf } from '../../base/index.js';
import { type Guardian, startGuardian } from '../process/guardian.js';
import { checkedWords, runHeadersHelper } from './headers-helper.js';

let folder = '';
let guardian: Guardian;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-helper-'));
  guardian = startGuardian({ folder: join(folder, 'children') });
});
afterAll(async () => {
  await guardian[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** A helper that runs the given program text. */
function run(program: string, { words = '', limitMs = 10_000 }: { words?: string; limitMs?: number } = {}) {
  const file = join(folder, 'helper.cjs');
  writeFileSync(file, program);
  return runHeadersHelper({
    line: `"${process.execPath}" "${file}" ${words}`,
    env: { PATH: process.env.PATH ?? '', TOLD: 'in the environment' },
    cwd: folder,
    home: folder,
    platform: process.platform,
    guardian,
    limitMs,
  });
}

describe('runHeadersHelper', () => {
  it('returns the headers that the program prints, run with its arguments in its directory', async () => {
    const program = `console.log(JSON.stringify({ Authorization: 'Bearer ' + process.argv[2], 'X-Env': process.env.TOLD, 'X-Folder': process.cwd() }))`;
    expect(await run(program, { words: "'two words'" })).toEqual({
      Authorization: 'Bearer two words',
      'X-Env': 'in the environment',
      'X-Folder': folder,
    });
  });

  it.each([
    {
      title: 'fails',
      program: `console.log('{"a":"canary"}'); console.error('canary'); process.exit(3)`,
      says: /exited with code 3/,
    },
    { title: 'prints invalid JSON', program: `console.log('canary')`, says: /invalid JSON/ },
    { title: 'prints an array', program: `console.log('["canary"]')`, says: /not an object/ },
    {
      title: 'prints a number as a value',
      program: `console.log('{"canary":7}')`,
      says: /an invalid value for canary/,
    },
    {
      title: 'prints a value with a line end',
      program: `console.log(JSON.stringify({ a: 'canary\\r\\nX-Evil: 1' }))`,
      says: /an invalid value for a/,
    },
    {
      title: 'prints a name with a line end',
      program: `console.log(JSON.stringify({ 'a\\nX-Evil': '1' }))`,
      says: /invalid header name/,
    },
    {
      title: 'sets the length of the request',
      program: `console.log(JSON.stringify({ 'Content-Length': '0' }))`,
      says: /may not set Content-Length/,
    },
    { title: 'prints too much', program: `console.log('"' + 'canary'.repeat(20000))`, says: /more than 65536 bytes/ },
  ])('refuses a helper that $title and shows none of its output', async ({ program, says }) => {
    const failure = await failureOf(run(program));
    expect(failure).toMatchObject({ code: ErrorCode.ConnectionError, message: expect.stringMatching(says) });
    expect(`${failure.message} ${failure.hint} ${failure.cause}`.replace('value for canary', '')).not.toContain(
      'canary',
    );
  });

  it('ends a helper after the timeout, with its child processes', async () => {
    const pids = join(folder, 'pids');
    const program = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      require('node:fs').writeFileSync(${JSON.stringify(pids)}, process.pid + ' ' + child.pid);
      setInterval(() => {}, 1000);`;
    const failure = await failureOf(run(program, { limitMs: 1_500 }));
    expect(failure).toMatchObject({ message: 'its headersHelper did not exit within 1.5 s' });
    const { readFileSync } = await import('node:fs');
    const left = readFileSync(pids, 'utf8')
      .split(' ')
      .map((pid) => identityOf(Number(pid)));
    expect(left).toEqual([undefined, undefined]);
  });
});

describe('checkedWords', () => {
  const linux = { platform: 'linux', home: '/home/me' };
  it.each([
    { line: '~/bin/token.sh --for "a b"', words: ['/home/me/bin/token.sh', '--for', 'a b'] },
    { line: "print '$(whoami) | ;'", words: ['print', '$(whoami) | ;'] },
    { line: 'print "a\\"b" x=1,y@z%', words: ['print', 'a"b', 'x=1,y@z%'] },
  ])('splits $line like a shell', ({ line, words }) => {
    expect(checkedWords(line, linux)).toEqual(words);
  });

  it.each([
    ...[
      'a; b',
      'a && b',
      'a | b',
      'a > b',
      'a < b',
      'a $HOME',
      'a `b`',
      'a $(b)',
      'a "$(b)"',
      'a "`b`"',
      'a *',
      'a\nb',
    ],
    ...['a \\; b', "it's", 'a "b', 'a (b)', 'a {b,c}', 'a # b'],
  ])('refuses %j and names the character', (line) => {
    expect(() => checkedWords(line, linux)).toThrow(/contains ".{1,2}", which only a shell understands/);
  });

  it('accepts Windows path separators and refuses Windows variables', () => {
    const windows = { platform: 'win32', home: 'C:\\Users\\me' };
    expect(checkedWords('C:\\tools\\token.exe -x', windows)).toEqual(['C:\\tools\\token.exe', '-x']);
    expect(() => checkedWords('echo %SECRET%', windows)).toThrow(/contains "%"/);
  });
});
