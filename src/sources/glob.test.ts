import { describe, expect, it } from 'vitest';
import { failingOn, memoryFiles } from '../../tests/fakes/memory-files.js';
import type { Files, FolderName } from '../base/index.js';
import { glob } from './glob.js';

const disk = (...paths: readonly string[]): Files => memoryFiles(Object.fromEntries(paths.map((path) => [path, ''])));

describe('glob', () => {
  const cases: readonly { title: string; on: Files; pattern: string; base?: string; expected: readonly string[] }[] = [
    {
      title: 'files in code-unit order, and no directories',
      on: disk('/a/b.json', '/a/B.json', '/a/a.json', '/a/é.json', '/a/c.txt', '/a/d.json/x'),
      pattern: '/a/*.json',
      expected: ['/a/B.json', '/a/a.json', '/a/b.json', '/a/é.json'],
    },
    {
      title: 'hidden files, but not the AppleDouble files of macOS',
      on: disk('/a/.b.json', '/a/._b.json', '/a/.json'),
      pattern: '/a/*.json',
      expected: ['/a/.b.json', '/a/.json'],
    },
    {
      title: 'a name in every directory',
      on: disk('/a/x/m.json', '/a/y/m.json', '/a/y/n.json', '/a/m.json', '/a/z/q/m.json'),
      pattern: '/a/*/m.json',
      expected: ['/a/x/m.json', '/a/y/m.json'],
    },
    {
      title: 'a name at any depth, nearest first',
      on: disk('/a/b/m.json', '/a/m.json', '/a/b/c/m.json'),
      pattern: '/a/**/m.json',
      expected: ['/a/m.json', '/a/b/m.json', '/a/b/c/m.json'],
    },
    {
      title: 'a directory and a name at any depth',
      on: disk('/a/p/.x/m.json', '/a/.x/m.json', '/a/m.json'),
      pattern: '/a/**/.x/m.json',
      expected: ['/a/.x/m.json', '/a/p/.x/m.json'],
    },
    {
      title: 'a part of a name',
      on: disk('/a/Claude_1/m', '/a/Claude/m', '/a/xClaude_/m'),
      pattern: '/a/Claude_*/m',
      expected: ['/a/Claude_1/m'],
    },
    {
      title: 'nothing in node_modules and .git',
      on: disk('/a/node_modules/p/m.json', '/a/.git/m.json', '/a/src/m.json'),
      pattern: '/a/**/m.json',
      expected: ['/a/src/m.json'],
    },
    { title: 'nothing if the directory does not exist', on: disk('/b/m.json'), pattern: '/a/*.json', expected: [] },
    {
      title: 'files at the top',
      on: disk('/m.json', '/b/m.json'),
      pattern: '/*.json',
      base: '/',
      expected: ['/m.json'],
    },
    {
      title: 'only below the given directory',
      on: disk('/w/a*b/m.json', '/w/axb/m.json'),
      pattern: '/w/a*b/*.json',
      base: '/w/a*b',
      expected: ['/w/a*b/m.json'],
    },
  ];
  it.each(cases)('finds $title', ({ on, pattern, base, expected }) => {
    expect(glob(on, pattern, base)).toEqual({ matches: expected, unlisted: [] });
  });

  it('reports a directory that it cannot list, and continues', () => {
    const files = failingOn(2, disk('/a/x/m.json', '/a/y/m.json'));
    expect(glob(files, '/a/**/m.json')).toEqual({
      matches: ['/a/x/m.json', '/a/y/m.json'],
      unlisted: [{ path: '/a/x', message: 'cannot be read (EIO)', hint: 'see that the disk works' }],
    });
  });

  it('does not follow symlinks, which may lead back up', () => {
    expect(glob(endless(true), '/a/**/m.json').matches).toEqual(['/a/m.json']);
  });

  it('terminates in an endless tree', () => {
    const opened: string[] = [];
    const files = endless(false);
    const counting: Files = {
      ...files,
      list(path) {
        opened.push(path);
        return files.list(path);
      },
    };
    glob(counting, '/a/**/*.json');
    expect(opened.length).toBeLessThanOrEqual(5_000);
    expect(Math.max(...opened.map((path) => path.split('/').length))).toBeLessThan(15);
  });
});

/** A file system in which every directory contains a file and ten such directories. */
function endless(link: boolean): Files {
  const folders = Array.from({ length: 10 }, (_, n): FolderName => ({ name: `f${n}`, folder: true, link }));
  return {
    read: () => ({ kind: 'read', text: '' }),
    list: () => ({ kind: 'read', names: [...folders, { name: 'm.json', folder: false, link: false }] }),
    exists: () => true,
    realPath: (path) => path,
    status: () => undefined,
    content: () => ({ kind: 'unreadable', why: 'ENOENT' }),
  };
}
