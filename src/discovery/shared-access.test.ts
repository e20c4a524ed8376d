import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../../tests/fakes/memory-files.js';
import type { FileStatus, Files } from '../base/index.js';
import { isWritableByOthers } from './shared-access.js';

const ME = 1000;
const OWN: FileStatus = { kind: 'folder', mode: 0o755, owner: ME, group: ME };

/** A file system in which every path has the status `OWN`, except for those given. */
function disk(overrides: Readonly<Record<string, Partial<FileStatus>>>): Files {
  return { ...memoryFiles({}), status: (path) => ({ ...OWN, ...overrides[path] }) };
}

describe.skipIf(process.platform === 'win32')('isWritableByOthers', () => {
  it.each([
    { title: 'default permissions', overrides: {}, is: false },
    { title: 'a file of root', overrides: { '/a/b/f': { owner: 0, group: 0 } }, is: false },
    { title: 'a file of another user', overrides: { '/a/b/f': { owner: 7 } }, is: true },
    { title: 'a file that everybody can write', overrides: { '/a/b/f': { mode: 0o666 } }, is: true },
    { title: 'a directory of another user', overrides: { '/a/b': { owner: 7 } }, is: true },
    { title: 'a parent directory that everybody can write', overrides: { '/a': { mode: 0o777 } }, is: true },
    { title: 'a sticky parent directory of root', overrides: { '/a': { mode: 0o1777, owner: 0 } }, is: false },
    { title: 'a sticky parent directory of another user', overrides: { '/a': { mode: 0o1777, owner: 7 } }, is: true },
    { title: 'a directory that its group can write', overrides: { '/a/b': { mode: 0o775, group: 50 } }, is: true },
    {
      title: 'a directory that the private group of the user can write',
      overrides: { '/a/b': { mode: 0o775 } },
      is: false,
    },
    {
      title: 'a directory that the group of root can write',
      overrides: { '/a/b': { mode: 0o775, group: 0 } },
      is: false,
    },
  ])('$title: $is', ({ overrides, is }) => {
    expect(isWritableByOthers('/a/b/f', disk(overrides), ME)).toBe(is);
  });

  it('is false on Windows and for a missing file', () => {
    expect(isWritableByOthers('/a/b/f', disk({ '/a': { mode: 0o777 } }), undefined)).toBe(false);
    expect(isWritableByOthers('/none', memoryFiles({}), ME)).toBe(false);
  });
});
