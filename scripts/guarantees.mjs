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

const chosen = ids.length === 0 ? ['tests/guarantees'] : [...filesWithTag(), '--tags-filter', ids.join(' or ')];
const rest = words.filter((word) => !ids.includes(word));
// More than Vitest starts on a small machine, because most of these tests wait.
const workers = rest.some((word) => word.startsWith('--maxWorkers')) ? [] : ['--maxWorkers=3'];
const { status } = spawnSync(
  process.execPath,
  [join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...workers, ...chosen, ...rest],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
process.exit(status ?? 1);
