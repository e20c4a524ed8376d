import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    // Machines are noisy: what hangs is found all the same.
    testTimeout: 180_000,
  },
});
