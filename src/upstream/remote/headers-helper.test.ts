import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from '../../../tests/fixtures/remote/reached.js';
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

/** A helper whose program is the given text. */
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
  it('takes the headers that the program writes, run with its words in its folder', async () => {
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
    { title: 'writes no JSON', program: `console.log('canary')`, says: /no JSON/ },
    { title: 'writes a list', program: `console.log('["canary"]')`, says: /no object/ },
    {
      title: 'writes a number',
      program: `console.log('{"canary":7}')`,
      says: /a value for canary that cannot be sent/,
    },
    {
      title: 'writes a second line into a value',
      program: `console.log(JSON.stringify({ a: 'canary\\r\\nX-Evil: 1' }))`,
      says: /a value for a that cannot be sent/,
    },
    {
      title: 'writes a line into a name',
      program: `console.log(JSON.stringify({ 'a\\nX-Evil': '1' }))`,
      says: /no header name/,
    },
    {
      title: 'says where the request ends',
      program: `console.log(JSON.stringify({ 'Content-Length': '0' }))`,
      says: /may not set Content-Length/,
    },
    { title: 'writes too much', program: `console.log('"' + 'canary'.repeat(20000))`, says: /more than 65536 bytes/ },
  ])('refuses one that $title and shows nothing of what it wrote', async ({ program, says }) => {
    const failure = await failureOf(run(program));
    expect(failure).toMatchObject({ code: ErrorCode.ConnectionError, message: expect.stringMatching(says) });
    expect(`${failure.message} ${failure.hint} ${failure.cause}`.replace('for canary that', '')).not.toContain(
      'canary',
    );
  });

  it('ends one that does not end by itself, and what it started', async () => {
    const pids = join(folder, 'pids');
    const program = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      require('node:fs').writeFileSync(${JSON.stringify(pids)}, process.pid + ' ' + child.pid);
      setInterval(() => {}, 1000);`;
    const failure = await failureOf(run(program, { limitMs: 1_500 }));
    expect(failure).toMatchObject({ message: 'its headersHelper did not end within 1.5 s' });
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
  ])('cuts $line as a shell would', ({ line, words }) => {
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
    expect(() => checkedWords(line, linux)).toThrow(/has ".{1,2}" in it, which only a shell understands/);
  });

  it('takes the separators of Windows for what they are there, and refuses its variables', () => {
    const windows = { platform: 'win32', home: 'C:\\Users\\me' };
    expect(checkedWords('C:\\tools\\token.exe -x', windows)).toEqual(['C:\\tools\\token.exe', '-x']);
    expect(() => checkedWords('echo %SECRET%', windows)).toThrow(/has "%" in it/);
  });
});
