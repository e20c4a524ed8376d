// Tests the guarantees: all of tests/guarantees/, or with ids (`npm run guarantees -- G8 S13`) every test of these, also those
// beside the code. Other words are passed on to Vitest.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const words = process.argv.slice(2);
const ids = words.filter((word) => /^[RGST]\d{1,2}$/.test(word));

/** Vitest imports each file that it is given, which takes minutes for all, so it gets only the files that name an id. */
function filesThatName(tags) {
  const quoted = tags.map((tag) => `'${tag}'`);
  return ['src', 'tests']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => quoted.some((tag) => readFileSync(join(root, name), 'utf8').includes(tag)));
}

const chosen = ids.length === 0 ? ['tests/guarantees'] : [...filesThatName(ids), '--tags-filter', ids.join(' or ')];
const rest = words.filter((word) => !ids.includes(word));
const { status } = spawnSync(
  process.execPath,
  [join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...chosen, ...rest],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
process.exit(status ?? 1);
