import { describe, expect, it } from 'vitest';
import { unwrapped } from './unwrap-command.js';

const NPX = ['npx', '-y', 'tool'];

describe('unwrapped', () => {
  it.each([
    { title: 'a plain command', words: NPX, bare: NPX },
    { title: 'cmd /c', words: ['cmd', '/c', ...NPX], bare: NPX },
    {
      title: 'cmd in another case, with its path',
      words: ['C:\\Windows\\System32\\CMD.EXE', '/C', ...NPX],
      bare: NPX,
    },
    { title: 'cmd with more flags', words: ['cmd.exe', '/d', '/s', '/v:on', '/c', ...NPX], bare: NPX },
    { title: 'cmd /k', words: ['cmd', '/k', ...NPX], bare: NPX },
    { title: 'cmd with the line as one word', words: ['cmd', '/c', 'npx -y tool'], bare: NPX },
    {
      title: 'cmd with a quoted program in that line',
      words: ['cmd', '/c', '"C:\\Program Files (x86)\\npx.cmd" -y tool'],
      bare: ['C:\\Program Files (x86)\\npx', '-y', 'tool'],
    },
    { title: 'cmd with the program joined to the flag', words: ['cmd', '/cnpx', '-y', 'tool'], bare: NPX },
    { title: 'cmd that starts cmd', words: ['cmd', '/c', 'cmd', '/c', ...NPX], bare: NPX },
    { title: 'a flag that belongs to the command', words: ['cmd', '/c', 'tool', '/d'], bare: ['tool', '/d'] },
    { title: 'an npm shim on Windows', words: ['npx.cmd', '-y', 'tool'], bare: NPX },
    { title: 'an executable extension', words: ['C:\\node.EXE', 'a.js'], bare: ['C:\\node', 'a.js'] },
    { title: 'a shell with a plain line', words: ['sh', '-c', 'npx -y tool'], bare: NPX },
    { title: 'a shell with its path', words: ['/bin/bash', '-c', '  npx  -y tool '], bare: NPX },
    { title: 'a login shell', words: ['zsh', '-lc', 'npx -y tool'], bare: NPX },
    { title: 'a login shell with separate flags', words: ['bash', '--login', '-i', '-c', 'npx -y tool'], bare: NPX },
    { title: 'exec in a shell', words: ['sh', '-c', 'exec npx -y tool'], bare: NPX },
    { title: 'a shell in cmd', words: ['cmd', '/c', 'sh', '-c', 'npx -y tool'], bare: NPX },
  ])('unwraps $title', ({ words, bare }) => {
    expect(unwrapped(words)).toEqual(bare);
  });

  it.each([
    { words: ['sh', '-c', 'npx -y tool | tee log'] },
    { words: ['sh', '-c', 'npx -y tool; rm x'] },
    { words: ['sh', '-c', 'npx -y tool\nrm x'] },
    { words: ['sh', '-c', 'npx -y $TOOL'] },
    { words: ['sh', '-c', 'npx -y `tool`'] },
    { words: ['sh', '-c', 'npx -y "tool"'] },
    { words: ['sh', '-c', 'TOKEN=1 npx -y tool'] },
    { words: ['sh', '-c', 'npx -y ~/tool'] },
    { words: ['sh', '-c', 'npx -y *'] },
    { words: ['sh', '-c', ''] },
    { words: ['sh', '-c'] },
    { words: ['sh', '-c', 'npx', 'name-of-the-shell'] },
    { words: ['sh', 'start.sh'] },
    { words: ['sh'] },
    { words: ['cmd'] },
    { words: ['cmd', '/c'] },
    { words: ['cmd', '/d', 'npx'] },
    { words: ['cmd', '/c', 'npx', '-y', 'tool', '&', 'del', 'x'] },
    { words: ['cmd', '/c', 'npx -y %TOOL%'] },
    { words: ['fish', '-c', 'npx -y tool'] },
    { words: ['./start.bat'] },
    { words: ['./start.ps1'] },
    { words: [''] },
  ])('keeps more than a wrapper: $words', ({ words }) => {
    expect(unwrapped(words)).toEqual(words);
  });

  it('unwraps a limited number of wrappers', () => {
    const words = [...Array.from({ length: 50_000 }, () => ['cmd', '/c']).flat(), ...NPX];
    expect(unwrapped(words).length).toBeGreaterThan(90_000);
  });
});
