// Builds and runs the tests of the command line and the gateway on other versions of Node: `node scripts/other-nodes.mjs 22 24`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TESTS = ['tests/cli.test.ts', 'tests/cli-gateway.test.ts', 'tests/serve.test.ts', 'tests/daemon.test.ts'];
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isWindows = process.platform === 'win32';

function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (status === 0) return;
  console.error(`\`${[command, ...args].join(' ')}\` failed${error ? `: ${error.message}` : ''}.`);
  process.exit(status ?? 1);
}

for (const version of process.argv.slice(2)) {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-node-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  // The npm package of this name contains the program.
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
  run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', `${name}@${version}`], { shell: isWindows });
  const bin = join(folder, 'node_modules', name, 'bin');
  const node = join(bin, isWindows ? 'node.exe' : 'node');
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  run(node, ['--version']);
  run(node, [join('scripts', 'build.mjs')], { env });
  run(node, [join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--maxWorkers=2', ...TESTS], { env });
}
// The next start must not use what another version built last.
run(process.execPath, [join('scripts', 'build.mjs')]);
