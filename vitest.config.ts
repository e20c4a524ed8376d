import { defineConfig } from 'vitest/config';
import { guaranteeTags } from './tests/support/guarantees.js';
import { hiddenPaths, programTags } from './tests/support/programs.js';
import { ReportSkipped } from './tests/support/report-skipped.js';

export default defineConfig({
  define: { PORTOLAN_HIDDEN_PROGRAMS: JSON.stringify(hiddenPaths) },
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    tags: [...programTags(), ...guaranteeTags()],
    reporters: ['default', new ReportSkipped()],
    // Generous, because machines are noisy: a test that hangs still fails.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    // `npm test -- --count` also counts what the programs run that tests start.
    setupFiles: process.env.CHILD_COVERAGE === undefined ? [] : ['scripts/coverage-children.mjs'],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['json'],
      reportsDirectory: 'coverage',
      reportOnFailure: true,
      // The script that asks for it empties the folder, and keeps more in it.
      clean: false,
    },
  },
});
