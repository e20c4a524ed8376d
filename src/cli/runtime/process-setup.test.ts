import { expect, it } from 'vitest';
import { runProgram } from '../../../tests/fixtures/run-program.js';

/** The size of the young generation in MB after many objects have survived, at first and some time later. */
function youngGeneration(first: string): readonly number[] {
  const { out } = runProgram(`
    import { getHeapSpaceStatistics } from 'node:v8';
    import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
    import { keepStartupHeapSmall } from './src/cli/runtime/process-setup.ts';
    ${first}
    const kept = [];
    const sizes = [];
    for (const before of [0, 300]) {
      await pause(before);
      for (let n = 0; n < 400; n += 1) {
        for (let m = 0; m < 2_000; m += 1) kept.push({ n, m });
        if (before > 0) await turn();
      }
      sizes.push(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 2 ** 20);
    }
    console.log(JSON.stringify(sizes));
  `);
  return JSON.parse(out);
}

it('keepStartupHeapSmall keeps the young generation small at the start and lets it grow later', () => {
  const [atStart, later] = youngGeneration('keepStartupHeapSmall(200);');
  expect(atStart).toBe(2);
  expect(later).toBeGreaterThan(2);
  expect(youngGeneration('')[0]).toBeGreaterThan(2);
});
