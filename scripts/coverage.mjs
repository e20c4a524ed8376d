// Reports the lines of src/ that a run of tests executed and compares them with the figure in coverage.json.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addChildren, linesOf } from './coverage-lines.mjs';

/** Whether a process exits in time to write its coverage varies, which changes the second decimal place. */
const SLACK = 0.2;
const SHOWN = 25;

const count = (files) => [...files.values()].flatMap((lines) => [...lines.values()]).filter(Boolean).length;
const percent = (part, whole) => (whole === 0 ? 100 : Math.floor((10_000 * part) / whole) / 100);

/**
 * Whether enough lines were executed. A partial count is only stored; a count that is added starts from the stored one.
 */
export function reportCoverage({ root, isPartial, isAdded, isRaising }) {
  const folder = join(root, 'coverage');
  const kept = join(folder, 'lines.json');
  const files = linesOf(JSON.parse(readFileSync(join(folder, 'coverage-final.json'), 'utf8')), root);
  addChildren(files, join(folder, 'children'), join(folder, 'maps'), root);
  if (isAdded && existsSync(kept)) addKept(files, JSON.parse(readFileSync(kept, 'utf8')));

  const rows = [...files]
    .map(([path, lines]) => ({
      path,
      missed: [...lines].filter(([, isHit]) => !isHit).map(([line]) => line),
      of: lines.size,
    }))
    .sort((a, b) => b.missed.length - a.missed.length);
  writeFileSync(kept, `${JSON.stringify(rows, null, 1)}\n`);
  const total = rows.reduce((sum, { of }) => sum + of, 0);
  const reached = percent(count(files), total);
  const summary = `${count(files)} of ${total} lines of src/ are run by tests: ${reached} %. Each file: coverage/lines.json`;
  if (isPartial) {
    console.log(`${summary} (the tests that need an optional program are not counted yet)`);
    return true;
  }
  for (const { path, missed, of } of rows.slice(0, SHOWN))
    console.log(`${String(missed.length).padStart(5)} of ${String(of).padStart(4)} lines not run  ${path}`);
  console.log(summary);
  return compare(join(root, 'coverage.json'), reached, isRaising);
}

/** A line that an earlier run executed is executed. */
function addKept(files, rows) {
  for (const { path, missed } of rows) {
    const lines = files.get(path);
    const isMissed = new Set(missed);
    for (const line of lines?.keys() ?? []) if (!isMissed.has(line)) lines.set(line, true);
  }
}

function compare(ratchet, reached, isRaising) {
  const { lines: least } = JSON.parse(readFileSync(ratchet, 'utf8'));
  if (reached < least - SLACK) {
    console.error(`Coverage fell below the ${least} % in coverage.json: add tests for the lines listed above.`);
    return false;
  }
  if (isRaising && reached > least) writeFileSync(ratchet, `${JSON.stringify({ lines: reached })}\n`);
  else if (reached > least + 1) console.log(`coverage.json says ${least} %: raise it with npm run coverage -- --raise`);
  return true;
}
