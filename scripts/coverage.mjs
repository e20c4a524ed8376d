// `npm test` with a count of the lines of src/ that it runs, also in the programs that tests start. Fails below the figure
// in coverage.json, which only ever rises: `npm run coverage -- --raise` writes the new one. Other words go to vitest.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addChildren, linesOf } from './coverage-lines.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'coverage');
const children = join(folder, 'children');
const maps = join(folder, 'maps');
const ratchet = join(root, 'coverage.json');
/** Which process ends in time to write down what it ran is a matter of chance, in the second place after the point. */
const SLACK = 0.2;
const SHOWN = 25;

const words = process.argv.slice(2);
const isRaising = words.includes('--raise');
/** CI has run `npm test` before: whether tests pass is said there, and here they run slower. */
const isOnlyCounting = words.includes('--only-count');
const more = words.filter((word) => word !== '--raise' && word !== '--only-count');

function run(args, env = {}) {
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status ?? 1;
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(children, { recursive: true });
if (run(['scripts/build.mjs', '--source-maps']) !== 0) process.exit(1);
// A test looks at what the package would hold, and the maps are no part of it.
for (const name of readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.map')) continue;
  mkdirSync(dirname(join(maps, name)), { recursive: true });
  renameSync(join(root, 'dist', name), join(maps, name));
}
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const tests = more.length > 0 ? more : ['--maxWorkers=2', '--exclude', 'tests/promises/**'];
const status = run([vitest, 'run', '--coverage.enabled', ...tests], { CHILD_COVERAGE: children });

const files = linesOf(JSON.parse(readFileSync(join(folder, 'coverage-final.json'), 'utf8')), root);
const count = (all) => [...all].reduce((sum, lines) => sum + [...lines.values()].filter(Boolean).length, 0);
const total = [...files.values()].reduce((sum, lines) => sum + lines.size, 0);
const here = count(files.values());
addChildren(files, children, maps, root);
const hit = count(files.values());
const percent = (part, whole) => (whole === 0 ? 100 : Math.floor((10_000 * part) / whole) / 100);

const rows = [...files]
  .map(([path, lines]) => ({
    path,
    missed: [...lines].filter(([, isHit]) => !isHit).map(([line]) => line),
    of: lines.size,
  }))
  .sort((a, b) => b.missed.length - a.missed.length);
writeFileSync(join(folder, 'lines.json'), `${JSON.stringify(rows, null, 1)}\n`);
for (const { path, missed, of } of rows.slice(0, SHOWN))
  console.log(`${String(missed.length).padStart(5)} of ${String(of).padStart(4)} lines not run  ${path}`);
const reached = percent(hit, total);
console.log(
  `${hit} of ${total} lines of src/ are run by tests: ${reached} % (${percent(here, total)} % in the tests' own process). Each file: coverage/lines.json`,
);

if (status !== 0 && !isOnlyCounting) process.exit(status);
const { lines: least } = JSON.parse(readFileSync(ratchet, 'utf8'));
if (reached < least - SLACK) {
  console.error(`That is less than the ${least} % of coverage.json: what was added has too few tests.`);
  process.exit(1);
}
if (isRaising && reached > least) writeFileSync(ratchet, `${JSON.stringify({ lines: reached })}\n`);
else if (reached > least + 1) console.log(`coverage.json says ${least} %: raise it with npm run coverage -- --raise`);
