import { userInfo } from 'node:os';
import { expect, it, vi } from 'vitest';
import { homeFolder } from './home-folder.js';

it.skipIf(process.platform === 'win32').each([
  { title: 'the value of HOME', home: '/somewhere', expected: '/somewhere' },
  { title: 'the folder of the system if HOME is empty', home: '', expected: userInfo().homedir },
])('the home folder is $title', ({ home, expected }) => {
  vi.stubEnv('HOME', home);
  try {
    expect(homeFolder()).toBe(expected);
  } finally {
    vi.unstubAllEnvs();
  }
});
