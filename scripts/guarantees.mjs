// Tests the guarantees: all of tests/guarantees/, or with ids (`npm run guarantees -- G8 S13`) every test of these, also those
// beside the code. Other words are passed on to Vitest.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSources, testsThatImport } from './tests-that-import.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);
const ids = words.filter((word) => /^[RGST]\d{1,2}$/.test(word));

/** Vitest imports each file that it is given, which takes minutes for all of them, so it gets only those with the tag. */
function filesWithTag() {
  const sources = readSources();
  const tag = new RegExp(`\\btags: .*'(?:${ids.join('|')})'`);
  return testsThatImport(
    sources.filter(({ text }) => tag.test(text)).map(({ path }) => path),
    sources,
  );
}

const rest = words.filter((word) => !ids.includes(word));
/** Compares the duration of calls, so nothing else may run at the same time. */
const TIMED = 'tests/guarantees/sandbox-isolates-sessions.test.ts';
// Vitest starts one worker on two processors, but most of these tests wait.
const SEVERAL = ['--maxWorkers=2'];
const runs =
  ids.length > 0
    ? [[...filesWithTag(), '--tags-filter', ids.join(' or ')]]
    : [['tests/guarantees', '--exclude', TIMED, ...SEVERAL], [TIMED]];
const codes = runs.map((chosen) => {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  return spawnSync(process.execPath, [vitest, 'run', ...chosen, ...rest], { cwd: root, stdio: 'inherit' }).status ?? 1;
});
process.exit(Math.max(...codes));
