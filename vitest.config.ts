import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    // Machines are noisy: what hangs is found all the same.
    testTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    // `npm run coverage` also counts what the programs run that tests start.
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
