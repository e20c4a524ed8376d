import { delimiter } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../../tests/fakes/memory-files.js';
import type { Host, Platform } from '../model/host.js';
import { expandBraces, resolveTemplate, templatesFor } from './path-template.js';

function host(more: Partial<Host> = {}): Host {
  return {
    platform: 'linux',
    home: '/h',
    cwd: '/h/work/repo/sub',
    repository: '/h/work/repo',
    env: {},
    root: '/r',
    files: memoryFiles({}),
    self: undefined,
    ...more,
  };
}

const paths = (template: string, more: Partial<Host> = {}): string[] =>
  resolveTemplate(template, host(more)).map(({ path }) => path);

describe('a template of a place', () => {
  const cases: readonly { title: string; template: string; on?: Partial<Host>; expected: readonly string[] }[] = [
    { title: 'the home', template: '~/.a/b.json', expected: ['/h/.a/b.json'] },
    { title: 'the home itself', template: '~', expected: ['/h'] },
    { title: 'the system', template: '/etc/a.json', expected: ['/r/etc/a.json'] },
    { title: 'the system without a root', template: '/etc/a.json', on: { root: '' }, expected: ['/etc/a.json'] },
    { title: 'the project', template: '<project>/a.json', expected: ['/h/work/repo/sub/a.json'] },
    { title: 'the repository', template: '<repo>/a.json', expected: ['/h/work/repo/a.json'] },
    {
      title: 'the project where there is no repository',
      template: '<repo>/a.json',
      on: { repository: undefined },
      expected: ['/h/work/repo/sub/a.json'],
    },
    {
      title: 'the project and what is above it in the repository, nearest first',
      template: '<up>/a.json',
      expected: ['/h/work/repo/sub/a.json', '/h/work/repo/a.json'],
    },
    {
      title: 'the project alone, without a repository to go up in',
      template: '<up>/a.json',
      on: { repository: undefined },
      expected: ['/h/work/repo/sub/a.json'],
    },
    {
      title: 'the project once, where it is the top of its repository',
      template: '<up>/a.json',
      on: { cwd: '/h/work/repo' },
      expected: ['/h/work/repo/a.json'],
    },
    { title: 'only what is above', template: '<above>/a.json', expected: ['/h/work/repo/a.json'] },
    {
      title: 'nothing above, without a repository',
      template: '<above>/a.json',
      on: { repository: undefined },
      expected: [],
    },
    {
      title: 'every folder up to the top of the repository',
      template: '<worktree>/a.json',
      expected: ['/h/work/repo/sub/a.json', '/h/work/repo/a.json'],
    },
    {
      title: 'every folder below the home, without a repository',
      template: '<worktree>/a.json',
      on: { repository: undefined },
      expected: ['/h/work/repo/sub/a.json', '/h/work/repo/a.json', '/h/work/a.json'],
    },
    {
      title: 'every folder to the top of the disk, outside of the home',
      template: '<worktree>/a.json',
      on: { repository: undefined, cwd: '/x/y' },
      expected: ['/x/y/a.json', '/x/a.json'],
    },
    {
      title: 'the home as the project, and nothing above it',
      template: '<worktree>/a.json',
      on: { repository: undefined, cwd: '/h' },
      expected: ['/h/a.json'],
    },
    {
      title: 'a variable',
      template: '<A|~/.a>/b.json',
      on: { env: { A: '/elsewhere' } },
      expected: ['/elsewhere/b.json'],
    },
    { title: 'the fallback of a variable that is not set', template: '<A|~/.a>/b.json', expected: ['/h/.a/b.json'] },
    {
      title: 'the fallback of a variable that is empty',
      template: '<A|~/.a>/b.json',
      on: { env: { A: '' } },
      expected: ['/h/.a/b.json'],
    },
    { title: 'nothing for a variable without a fallback', template: '<A>/b.json', expected: [] },
    {
      title: 'a variable that is a whole file',
      template: '<A|~/.a/b.json>',
      on: { env: { A: '/x/y.json' } },
      expected: ['/x/y.json'],
    },
    {
      title: 'a folder below a variable',
      template: '<A/sub|~/.a>/b.json',
      on: { env: { A: '/x' } },
      expected: ['/x/sub/b.json'],
    },
    {
      title: 'the first variable that is set',
      template: '<A|B/sub|C|~/.a>/b.json',
      on: { env: { B: '/b', C: '/c' } },
      expected: ['/b/sub/b.json'],
    },
    {
      title: 'a variable with a tilde',
      template: '<A|~/.a>/b.json',
      on: { env: { A: '~/x' } },
      expected: ['/h/x/b.json'],
    },
    {
      title: 'a relative variable, from the project',
      template: '<A|~/.a>/b.json',
      on: { env: { A: 'x/y' } },
      expected: ['/h/work/repo/sub/x/y/b.json'],
    },
    {
      title: 'the fallback of a relative XDG variable, as its specification wants',
      template: '<XDG_CONFIG_HOME|~/.config>/b.json',
      on: { env: { XDG_CONFIG_HOME: 'x/y' } },
      expected: ['/h/.config/b.json'],
    },
    {
      title: 'the next variable after a relative XDG variable',
      template: '<XDG_STATE_HOME|A|~/.a>/b.json',
      on: { env: { XDG_STATE_HOME: './x', A: '/a' } },
      expected: ['/a/b.json'],
    },
    {
      title: 'every path of a variable that lists several',
      template: '<each:A>/b.json',
      on: { env: { A: ['/x', '', '/y'].join(delimiter) } },
      expected: ['/x/b.json', '/y/b.json'],
    },
    { title: 'a path as someone named it', template: 'file:/x/{a,b} c.json', expected: ['/x/{a,b} c.json'] },
    { title: 'a folder as someone named it', template: 'file:/x/y/*.json', expected: ['/x/y/*.json'] },
    {
      title: 'braces, one after the other',
      template: '~/{a,b}/c.{json,jsonc}',
      expected: ['/h/a/c.json', '/h/a/c.jsonc', '/h/b/c.json', '/h/b/c.jsonc'],
    },
    {
      title: 'braces in folders that are not ours as they are',
      template: '~/{a,b}',
      on: { home: '/{x,y}' },
      expected: ['/{x,y}/a', '/{x,y}/b'],
    },
    {
      title: 'a system file of Windows in a tree, with and without the drive as a folder',
      template: '/Program Files/a.json',
      on: { platform: 'win32' },
      expected: ['/r/Program Files/a.json', '/r/C:/Program Files/a.json', '/r/C/Program Files/a.json'],
    },
    {
      title: 'the folder of the system that a Windows variable names, in the tree',
      template: '<ProgramData|/ProgramData>/a.json',
      on: { platform: 'win32', env: { PROGRAMDATA: 'D:\\Data\\All' } },
      expected: ['/r/Data/All/a.json', '/r/C:/Data/All/a.json', '/r/C/Data/All/a.json'],
    },
    {
      title: 'the fallback of a Windows variable that is not set',
      template: '<ProgramData|/ProgramData>/a.json',
      on: { platform: 'win32' },
      expected: ['/r/ProgramData/a.json', '/r/C:/ProgramData/a.json', '/r/C/ProgramData/a.json'],
    },
    {
      title: "the stand-in home instead of the home that a Windows machine's variable names",
      template: '<APPDATA|~/AppData/Roaming>/a.json',
      on: { platform: 'win32', env: { APPDATA: 'C:\\Users\\me\\AppData\\Roaming' } },
      expected: ['/h/AppData/Roaming/a.json'],
    },
    {
      title: 'a path of the stand-in machine in a Windows variable as it is',
      template: '<APPDATA|~/AppData/Roaming>/a.json',
      on: { platform: 'win32', env: { AppData: '/x/roaming' } },
      expected: ['/x/roaming/a.json'],
    },
    {
      title: 'a variable by its exact name only, elsewhere than on Windows',
      template: '<APPDATA|~/.a>/a.json',
      on: { env: { AppData: '/x' } },
      expected: ['/h/.a/a.json'],
    },
  ];
  it.each(cases)('means $title', ({ template, on, expected }) => {
    expect(paths(template, on)).toEqual(expected);
  });

  it('says what is a pattern, where it begins, and how far up it was found', () => {
    expect(resolveTemplate('<up>/a/*.json', host())).toEqual([
      { path: '/h/work/repo/sub/a/*.json', base: '/h/work/repo/sub', pattern: true, distance: 0 },
      { path: '/h/work/repo/a/*.json', base: '/h/work/repo', pattern: true, distance: 1 },
    ]);
    expect(resolveTemplate('<project>/a.json', host({ cwd: '/w/a*b' }))).toEqual([
      { path: '/w/a*b/a.json', base: '/w/a*b', pattern: false, distance: 0 },
    ]);
    expect(resolveTemplate('file:/w/a*b.json', host())).toMatchObject([{ path: '/w/a*b.json', pattern: false }]);
    expect(resolveTemplate('file:/w/a*b/*.json', host())).toMatchObject([{ base: '/w/a*b', pattern: true }]);
  });

  it('must begin with a root that we know', () => {
    expect(() => paths('etc/a.json')).toThrow('a place must begin with a known root: etc/a.json');
  });
});

describe('templatesFor', () => {
  it.each<{ platform: Platform; expected: readonly string[] }>([
    { platform: 'linux', expected: ['~/l'] },
    { platform: 'darwin', expected: ['~/m', '~/n'] },
    { platform: 'win32', expected: [] },
  ])('gives those of $platform', ({ platform, expected }) => {
    expect(templatesFor({ linux: '~/l', darwin: ['~/m', '~/n'] }, platform)).toEqual(expected);
    expect(templatesFor('~/a', platform)).toEqual(['~/a']);
    expect(templatesFor(['~/a', '~/b'], platform)).toEqual(['~/a', '~/b']);
  });
});

describe('expandBraces', () => {
  it.each([
    { template: 'a', expected: ['a'] },
    { template: '{a}', expected: ['{a}'] },
    { template: '{a,b}', expected: ['a', 'b'] },
    { template: 'x{a,b,}y', expected: ['xay', 'xby', 'xy'] },
    { template: '{a,b}{c,d}', expected: ['ac', 'ad', 'bc', 'bd'] },
    { template: '{a', expected: ['{a'] },
  ])('writes $template out', ({ template, expected }) => {
    expect(expandBraces(template)).toEqual(expected);
  });
});
