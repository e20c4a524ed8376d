import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needs } from '../../../tests/support/programs.js';
import { errorLines } from './error-lines.js';

/** The stderr of a real program. */
function stderrOf(command: string, args: readonly string[]): string {
  return spawnSync(command, args, { encoding: 'utf8' }).stderr;
}

describe('errorLines', () => {
  it('shows the exception of a Node program, not its stack', () => {
    const code = 'function a() { throw new TypeError("no database") } function b() { a() } b()';
    expect(errorLines(stderrOf(process.execPath, ['-e', code]))).toBe('TypeError: no database');
  });

  it('shows an exception with properties', () => {
    const code = 'require("fs").readFileSync("/nowhere/at/all")';
    expect(errorLines(stderrOf(process.execPath, ['-e', code]))).toBe(
      "Error: ENOENT: no such file or directory, open '/nowhere/at/all'",
    );
  });

  it('shows which module a Node program did not find', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portolan-'));
    try {
      writeFileSync(join(folder, 'a.mjs'), 'import "not-there-at-all";\n');
      expect(errorLines(stderrOf(process.execPath, [join(folder, 'a.mjs')]))).toMatch(
        /^Error \[ERR_MODULE_NOT_FOUND\]: Cannot find package 'not-there-at-all'/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('shows the exception of a Python program, not its traceback', needs('python3'), () => {
    const code = 'def f():\n  raise RuntimeError("no database")\nf()';
    expect(errorLines(stderrOf('python3', ['-c', code]))).toBe('RuntimeError: no database');
  });

  it('shows the cause and the last exception of a Python program', needs('python3'), () => {
    const code = 'try:\n  import not_there_at_all\nexcept ImportError as e:\n  raise RuntimeError("no plugin") from e';
    expect(errorLines(stderrOf('python3', ['-c', code]))).toBe(
      "ModuleNotFoundError: No module named 'not_there_at_all' | RuntimeError: no plugin",
    );
  });

  it('shows the reason of npx, not its code and its log', () => {
    const text = `npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/nothing-here - Not found
npm error 404
npm error 404  'nothing-here@*' is not in this registry.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git folder.
npm error A complete log of this run can be found in: /root/.npm/_logs/2026-01-01T00_00_00_000Z-debug-0.log
`;
    expect(errorLines(text)).toBe(
      "npm error 404 Not Found - GET https://registry.npmjs.org/nothing-here - Not found | npm error 404  'nothing-here@*' is not in this registry.",
    );
  });

  it.each([
    {
      title: 'a panic of Go',
      text: 'listening on :80\npanic: no config\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:5 +0x1d\nexit status 2\n',
      shown: 'panic: no config',
    },
    {
      title: 'a plain message',
      text: 'starting\nGITHUB_TOKEN is missing\nsee README\n',
      shown: 'GITHUB_TOKEN is missing | see README',
    },
    { title: 'output without an error', text: 'one\ntwo\nthree\n', shown: 'two | three' },
    { title: 'one line', text: 'ouch', shown: 'ouch' },
    {
      title: 'frames only',
      text: '    at a (b.js:1:2)\n    at c (d.js:3:4)\n',
      shown: 'at a (b.js:1:2) | at c (d.js:3:4)',
    },
    { title: 'nothing', text: '\n\n', shown: '' },
  ])('shows $title', ({ text, shown }) => {
    expect(errorLines(text)).toBe(shown);
  });

  it('ignores errors long before the crash, and shortens a long line', () => {
    const old = `Error: an old one\n${'request served\n'.repeat(200)}`;
    expect(errorLines(`${old}Error: ${'x'.repeat(400)}\n    at a (b.js:1:2)\n`)).toMatch(/^Error: x{200,}…$/);
  });
});
