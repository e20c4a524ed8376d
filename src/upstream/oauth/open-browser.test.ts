import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browsable, openBrowser } from './open-browser.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-browser-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('browsable (shell code in an OAuth endpoint, CVE-2025-6514)', { tags: 'S14' }, () => {
  it.each([
    ['https://x.example/a?b=c&d=e#f', 'https://x.example/a?b=c&d=e#f'],
    ['https://x.example/$(touch y)', 'https://x.example/%24%28touch%20y%29'],
    ['https://x.example/`id`', 'https://x.example/%60id%60'],
    ["https://x.example/';calc;'", 'https://x.example/%27%3Bcalc%3B%27'],
    ['https://x.example/?a=|calc^&b=%25', 'https://x.example/?a=%7Ccalc%5E&b=%25'],
    ['https://x.example/\n-x', 'https://x.example/-x'],
    ['https://[::1]:8/', 'https://[::1]:8/'],
  ])('writes %j as %j', (address, expected) => {
    expect(browsable(new URL(address))).toBe(expected);
  });

  it.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'ms-settings:',
    'vscode://x',
    'a:$(calc)',
    'https://--flag@x.example/',
    'https://a:b@x.example/',
  ])('refuses %s', (address) => {
    expect(() => browsable(new URL(address))).toThrow('refused to open the sign-in page');
  });
});

/** Programs that record their arguments. */
function program(name: string, exit = 0): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${folder}/${name}.called'\nexit ${exit}\n`);
  chmodSync(path, 0o755);
  return path;
}
const called = (name: string): string[] | undefined =>
  existsSync(join(folder, `${name}.called`))
    ? readFileSync(join(folder, `${name}.called`), 'utf8')
        .trim()
        .split('\n')
    : undefined;

describe.skipIf(process.platform === 'win32')('openBrowser', () => {
  const page = new URL(`https://x.example/$(touch marker)?a=1&b=2`);
  const shown = 'https://x.example/%24%28touch%20marker%29?a=1&b=2';
  const desktop = (env: Record<string, string>) => ({ platform: 'linux', env: { PATH: folder, ...env } });

  it('passes the page as one argument and without a shell', async () => {
    program('xdg-open');
    expect(await openBrowser(page, desktop({ DISPLAY: ':0' }))).toBe(true);
    expect(called('xdg-open')).toEqual(['1', shown]);
  });

  it('tries the browser in BROWSER first', async () => {
    program('xdg-open');
    const [bad, good] = [program('bad', 3), program('good')];
    expect(await openBrowser(page, desktop({ DISPLAY: ':0', BROWSER: `needs a shell %s:${bad}:${good}` }))).toBe(true);
    expect([called('bad'), called('good'), called('xdg-open')]).toEqual([['1', shown], ['1', shown], undefined]);
  });

  it.each<{ title: string; env: Record<string, string>; exit?: number }>([
    { title: 'there is no display', env: {} },
    { title: 'the program fails', env: { WAYLAND_DISPLAY: 'w' }, exit: 1 },
    { title: 'there is no such program', env: { DISPLAY: ':0', PATH: '/nowhere' } },
  ])('returns false if $title', async ({ env, exit }) => {
    program('xdg-open', exit);
    expect(await openBrowser(page, desktop(env))).toBe(false);
  });

  it('starts no program for a URL that is not http or https', async () => {
    program('xdg-open');
    await expect(openBrowser(new URL('file:///etc/passwd'), desktop({ DISPLAY: ':0' }))).rejects.toThrow(
      'refused to open',
    );
    expect(called('xdg-open')).toBeUndefined();
  });
});
