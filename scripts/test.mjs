// Runs the tests: everything except the guarantees (`npm run guarantees`). Other words are passed on to Vitest.
//   --hide-programs  as on a machine without the optional programs (tests/support/programs.ts)
//   --only-programs  only the test files that use an optional program
//   --count          counts the lines of src/ that the tests run, also in the processes that tests start, and fails below
//                    the figure in coverage.json. With --hide-programs the count is only kept; with --only-programs it is
//                    added to the kept one.
//   --raise          with --count: writes a higher figure to coverage.json
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';
import { reportCoverage } from './coverage.mjs';
import { testsThatImport } from './tests-that-import.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const OPTIONS = ['--hide-programs', '--only-programs', '--count', '--raise'];
const isOn = (option) => process.argv.includes(option);
const words = process.argv.slice(2).filter((word) => !OPTIONS.includes(word));

function node(args, env = {}) {
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status ?? 1;
}

/** The maps are not part of the package, and a test checks everything in dist/. */
function moveMaps(from, to) {
  for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.map')) continue;
    mkdirSync(dirname(join(to, name)), { recursive: true });
    renameSync(join(from, name), join(to, name));
  }
}

const { optionalProgramPaths, makePathWithoutPrograms } = await createJiti(import.meta.url).import(
  join(root, 'tests/support/programs.ts'),
);
const folder = join(root, 'coverage');
const children = join(folder, 'children');
const maps = join(folder, 'maps');
const isCounting = isOn('--count');
const hidden = isOn('--hide-programs') ? optionalProgramPaths().join(delimiter) : undefined;

if (isCounting) {
  if (!isOn('--only-programs')) rmSync(folder, { recursive: true, force: true });
  for (const path of [children, maps]) rmSync(path, { recursive: true, force: true });
  mkdirSync(children, { recursive: true });
}
if (isCounting || hidden !== undefined) {
  const options = [
    ...(isCounting ? ['--source-maps'] : []),
    ...(hidden === undefined ? [] : [`--hide-programs=${hidden}`]),
  ];
  if (node([join('scripts', 'build.mjs'), ...options]) !== 0) process.exit(1);
  if (isCounting) moveMaps(join(root, 'dist'), maps);
}

const clean = hidden === undefined ? undefined : makePathWithoutPrograms();
const status = node(
  [
    join('node_modules', 'vitest', 'vitest.mjs'),
    ...['run', '--maxWorkers=2', '--exclude', 'tests/guarantees/**'],
    ...(isCounting ? ['--coverage.enabled'] : []),
    ...(isOn('--only-programs') ? testsThatImport([join(root, 'tests/support/programs.ts')]) : []),
    ...words,
  ],
  {
    ...(isCounting && { CHILD_COVERAGE: children }),
    ...(hidden !== undefined && { PORTOLAN_TEST_HIDDEN_PROGRAMS: hidden, PATH: clean.path }),
  },
);
clean?.remove();
if (status !== 0 || !isCounting) process.exit(status);
const enough = reportCoverage({
  root,
  isPartial: hidden !== undefined,
  isAdded: isOn('--only-programs'),
  isRaising: isOn('--raise'),
});
process.exit(enough ? 0 : 1);
