import { userInfo } from 'node:os';
import { expect, it, vi } from 'vitest';
import { homeFolder } from './home-folder.js';

it.skipIf(process.platform === 'win32').each([
  { title: 'what HOME says', home: '/somewhere', expected: '/somewhere' },
  { title: 'what the system says where HOME is empty', home: '', expected: userInfo().homedir },
])('the home is $title', ({ home, expected }) => {
  vi.stubEnv('HOME', home);
  try {
    expect(homeFolder()).toBe(expected);
  } finally {
    vi.unstubAllEnvs();
  }
});
