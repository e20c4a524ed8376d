import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../../tests/fakes/memory-files.js';
import type { Host } from '../model/index.js';
import { ownFolders } from './own-folders.js';

const host = (env: Readonly<Record<string, string>>): Host => ({
  platform: 'linux',
  home: '/h',
  cwd: '/work/repo/sub',
  repository: '/work/repo',
  env,
  root: '',
  files: memoryFiles({}),
  self: undefined,
});

describe('ownFolders', () => {
  it.each([
    {
      title: 'are the XDG defaults',
      env: {},
      cache: '/h/.cache/portolan',
      state: '/h/.local/state/portolan',
    },
    {
      title: 'follow the XDG variables',
      env: { XDG_CACHE_HOME: '/c', XDG_STATE_HOME: '/s' },
      cache: '/c/portolan',
      state: '/s/portolan',
    },
    {
      title: 'ignore a relative path in a variable',
      env: { XDG_CACHE_HOME: 'c', XDG_STATE_HOME: '../s' },
      cache: '/h/.cache/portolan',
      state: '/h/.local/state/portolan',
    },
    {
      title: 'ignore a path inside the current repository',
      env: { XDG_CACHE_HOME: '/work/repo/.cache', XDG_STATE_HOME: '/work/repo/sub/.state' },
      cache: '/h/.cache/portolan',
      state: '/h/.local/state/portolan',
    },
  ])('$title', ({ env, cache, state }) => {
    expect(ownFolders(host(env))).toMatchObject({
      cache,
      state,
      audit: `${state}/audit`,
      logs: `${state}/logs`,
      children: `${state}/children`,
    });
  });
});
