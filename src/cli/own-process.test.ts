import { expect, it } from 'vitest';
import { runProgram } from '../../tests/fixtures/run-program.js';

/** In MB, both halves of the place for young objects when ever more of them have lived on for a while. */
function placeForYoung(first: string): number {
  const { out } = runProgram(`
    import { getHeapSpaceStatistics } from 'node:v8';
    import { setImmediate as turn } from 'node:timers/promises';
    import { stayLean } from './src/cli/own-process.ts';
    ${first}
    const kept = [];
    for (let n = 0; n < 400; n += 1) {
      for (let m = 0; m < 2_000; m += 1) kept.push({ n, m });
      await turn();
    }
    console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 2 ** 20);
  `);
  return Number(out);
}

it('the place for young objects grows to four MB in each half and no further where a gateway stays lean', () => {
  expect(placeForYoung('stayLean();')).toBe(8);
  expect(placeForYoung('')).toBeGreaterThan(8);
});
