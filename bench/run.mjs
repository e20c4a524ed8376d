// Runs every benchmark that has targets, one after the other, so that none disturbs another: `npm run bench`.
//   --quick  fewer rounds      --json  figures for programs      --check  exit 1 if a target is missed
// Other arguments are passed to the first benchmark.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BENCHES = ['gateway', 'growth', 'daemon', 'sandbox'];
const COMMON = ['--quick', '--json', '--check'];
const args = process.argv.slice(2);
const isJson = args.includes('--json');
const folder = dirname(fileURLToPath(import.meta.url));
const found = {};

for (const [at, name] of BENCHES.entries()) {
  const own = args.filter((arg) => at === 0 || COMMON.includes(arg));
  const stdio = ['ignore', isJson ? 'pipe' : 'inherit', 'inherit'];
  if (!isJson) console.log(`${at === 0 ? '' : '\n'}── ${name} ──`);
  const { status, stdout } = spawnSync(process.execPath, [join(folder, `${name}.mjs`), ...own], {
    ...{ stdio, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  });
  if (isJson) found[name] = JSON.parse(stdout || 'null');
  if (status !== 0) process.exitCode = status ?? 1;
}
if (isJson) console.log(JSON.stringify(found, null, 2));
