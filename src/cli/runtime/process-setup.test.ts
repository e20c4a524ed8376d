import { expect, it } from 'vitest';
import { runProgram } from '../../../tests/fixtures/run-program.js';

/** In MB, both halves of the place for young objects when ever more of them have lived on, at first and some time later. */
function placeForYoung(first: string): readonly number[] {
  const { out } = runProgram(`
    import { getHeapSpaceStatistics } from 'node:v8';
    import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
    import { stayLean } from './src/cli/runtime/process-setup.ts';
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

it('the place for young objects grows once, and not at first, where a gateway stays lean', () => {
  expect(placeForYoung('stayLean(200);')).toEqual([2, 8]);
  expect(placeForYoung('')[1]).toBeGreaterThan(8);
});
