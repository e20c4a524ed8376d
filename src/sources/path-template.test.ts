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
    { title: 'the home directory', template: '~/.a/b.json', expected: ['/h/.a/b.json'] },
    { title: 'the home directory itself', template: '~', expected: ['/h'] },
    { title: 'a system path', template: '/etc/a.json', expected: ['/r/etc/a.json'] },
    { title: 'a system path without a root', template: '/etc/a.json', on: { root: '' }, expected: ['/etc/a.json'] },
    { title: 'the project', template: '<project>/a.json', expected: ['/h/work/repo/sub/a.json'] },
    { title: 'the repository', template: '<repo>/a.json', expected: ['/h/work/repo/a.json'] },
    {
      title: 'the project without a repository',
      template: '<repo>/a.json',
      on: { repository: undefined },
      expected: ['/h/work/repo/sub/a.json'],
    },
    {
      title: 'the project and its parents in the repository, nearest first',
      template: '<up>/a.json',
      expected: ['/h/work/repo/sub/a.json', '/h/work/repo/a.json'],
    },
    {
      title: 'only the project, without a repository',
      template: '<up>/a.json',
      on: { repository: undefined },
      expected: ['/h/work/repo/sub/a.json'],
    },
    {
      title: 'the project once, if it is the root of its repository',
      template: '<up>/a.json',
      on: { cwd: '/h/work/repo' },
      expected: ['/h/work/repo/a.json'],
    },
    { title: 'only the parents', template: '<above>/a.json', expected: ['/h/work/repo/a.json'] },
    {
      title: 'no parents without a repository',
      template: '<above>/a.json',
      on: { repository: undefined },
      expected: [],
    },
    {
      title: 'every directory up to the root of the repository',
      template: '<worktree>/a.json',
      expected: ['/h/work/repo/sub/a.json', '/h/work/repo/a.json'],
    },
    {
      title: 'every directory below the home directory, without a repository',
      template: '<worktree>/a.json',
      on: { repository: undefined },
      expected: ['/h/work/repo/sub/a.json', '/h/work/repo/a.json', '/h/work/a.json'],
    },
    {
      title: 'every directory up to the file system root, outside the home directory',
      template: '<worktree>/a.json',
      on: { repository: undefined, cwd: '/x/y' },
      expected: ['/x/y/a.json', '/x/a.json'],
    },
    {
      title: 'the home directory as the project, without parents',
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
      title: 'a variable that names a file',
      template: '<A|~/.a/b.json>',
      on: { env: { A: '/x/y.json' } },
      expected: ['/x/y.json'],
    },
    {
      title: 'a directory below a variable',
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
      title: 'a relative variable, resolved from the project',
      template: '<A|~/.a>/b.json',
      on: { env: { A: 'x/y' } },
      expected: ['/h/work/repo/sub/x/y/b.json'],
    },
    {
      title: 'the fallback of a relative XDG variable, as the specification requires',
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
    { title: 'a literal path', template: 'file:/x/{a,b} c.json', expected: ['/x/{a,b} c.json'] },
    { title: 'a literal directory', template: 'file:/x/y/*.json', expected: ['/x/y/*.json'] },
    {
      title: 'several braces',
      template: '~/{a,b}/c.{json,jsonc}',
      expected: ['/h/a/c.json', '/h/a/c.jsonc', '/h/b/c.json', '/h/b/c.jsonc'],
    },
    {
      title: 'literal braces in directories from a variable',
      template: '~/{a,b}',
      on: { home: '/{x,y}' },
      expected: ['/{x,y}/a', '/{x,y}/b'],
    },
    {
      title: 'a Windows system file under a root, with and without a drive directory',
      template: '/Program Files/a.json',
      on: { platform: 'win32' },
      expected: ['/r/Program Files/a.json', '/r/C:/Program Files/a.json', '/r/C/Program Files/a.json'],
    },
    {
      title: 'the system directory of a Windows variable, under the root',
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
      title: 'a path under the root in a Windows variable, unchanged',
      template: '<APPDATA|~/AppData/Roaming>/a.json',
      on: { platform: 'win32', env: { AppData: '/x/roaming' } },
      expected: ['/x/roaming/a.json'],
    },
    {
      title: 'a variable by its exact name, except on Windows',
      template: '<APPDATA|~/.a>/a.json',
      on: { env: { AppData: '/x' } },
      expected: ['/h/.a/a.json'],
    },
  ];
  it.each(cases)('resolves $title', ({ template, on, expected }) => {
    expect(paths(template, on)).toEqual(expected);
  });

  it('reports patterns, their base and their distance', () => {
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

  it('must begin with a known root', () => {
    expect(() => paths('etc/a.json')).toThrow('a place must begin with a known root: etc/a.json');
  });
});

describe('templatesFor', () => {
  it.each<{ platform: Platform; expected: readonly string[] }>([
    { platform: 'linux', expected: ['~/l'] },
    { platform: 'darwin', expected: ['~/m', '~/n'] },
    { platform: 'win32', expected: [] },
  ])('returns those of $platform', ({ platform, expected }) => {
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
  ])('expands $template', ({ template, expected }) => {
    expect(expandBraces(template)).toEqual(expected);
  });
});
