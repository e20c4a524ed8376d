import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import { secretsOf, startFolder } from './open-transport.js';

describe('startFolder', () => {
  it.each([
    { title: 'no folder', said: {}, folder: '/work' },
    { title: 'an empty one', said: { cwd: '' }, folder: '/work' },
    { title: 'a whole path', said: { cwd: '/srv/x' }, folder: '/srv/x' },
    { title: 'a part of one in a project', said: { cwd: 'sub', scope: 'project' as const }, folder: '/work/sub' },
    { title: 'a part of one in a local file', said: { cwd: 'sub', scope: 'local' as const }, folder: '/work/sub' },
    { title: 'a part of one of a user', said: { cwd: 'sub', scope: 'user' as const }, folder: '/home/me/sub' },
  ])('takes an entry with $title to $folder', ({ said, folder }) => {
    expect(startFolder(definition({ command: 'x', ...said }), { cwd: '/work', home: '/home/me' })).toBe(folder);
  });
});

describe('secretsOf', () => {
  it('counts every value that goes to the server', () => {
    const entry = definition({
      url: 'https://h.example/mcp',
      headers: { Authorization: 'Bearer abc-def' },
      env: { KEY: 'k-1' },
      authToken: 't-1',
      oauth: { clientId: 'c-1', clientSecret: 's-1', idpIdToken: 'i-1', privateKeyFile: '~/k.pem' },
    });
    expect(secretsOf(entry, { FROM_FILE: 'f-1' })).toEqual([
      'k-1',
      'f-1',
      'Bearer abc-def',
      'Bearer',
      'abc-def',
      't-1',
      's-1',
      'i-1',
    ]);
  });
});
