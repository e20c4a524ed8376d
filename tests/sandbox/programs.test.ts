import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { has, needs } from '../support/programs.js';
import { folder, tidy } from './installed-engines.js';
import { programSuite } from './program-suite.js';
import { PROGRAMS } from './programs.js';

afterAll(tidy);

/** The expectations match this version and later ones. */
const isRecent = () => spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).status === 0;

it('there are at least 60 programs', () => {
  expect(PROGRAMS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(PROGRAMS.map(({ title }) => title)).size).toBe(PROGRAMS.length);
});

describe.skipIf(has('python3') && !isRecent())(
  'the expectations match the output of CPython 3.11',
  needs('python3'),
  () => {
    it.each(PROGRAMS.filter(({ isPlain }) => isPlain))('$title', ({ code, stdout }) => {
      const cwd = mkdtempSync(join(folder, 'plain-'));
      const result = spawnSync('python3', ['-I', '-'], { input: code, encoding: 'utf8', cwd });
      expect(result.stdout).toBe(stdout);
    });
  },
);

// The other engines take longer: tests/guarantees/sandbox-engines.test.ts.
await programSuite(['bwrap']);
