import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import { startFolder } from './start-folder.js';

describe('startFolder', () => {
  it.each([
    { title: 'no folder', said: {}, folder: '/work' },
    { title: 'an empty one', said: { cwd: '' }, folder: '/work' },
    { title: 'an absolute path', said: { cwd: '/srv/x' }, folder: '/srv/x' },
    { title: 'a relative path in a project', said: { cwd: 'sub', scope: 'project' as const }, folder: '/work/sub' },
    { title: 'a relative path in a local file', said: { cwd: 'sub', scope: 'local' as const }, folder: '/work/sub' },
    { title: 'a relative path of a user', said: { cwd: 'sub', scope: 'user' as const }, folder: '/home/me/sub' },
  ])('resolves an entry with $title to $folder', ({ said, folder }) => {
    expect(startFolder(definition({ command: 'x', ...said }), { cwd: '/work', home: '/home/me' })).toBe(folder);
  });
});
