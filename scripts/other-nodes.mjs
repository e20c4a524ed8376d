// Builds a copy and runs the tests of the command line and the gateway on other versions of Node:
// `node scripts/other-nodes.mjs 22 24`.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const TESTS = [
  'tests/cli/commands.test.ts',
  'tests/cli/cli-gateway.test.ts',
  'tests/serve/serve.test.ts',
  'tests/daemon/daemon.test.ts',
];
/** Generated here, or the same for every copy. */
const LEFT_OUT = ['.git', 'node_modules', 'dist', 'coverage'];
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isWindows = process.platform === 'win32';

function run(command, args, options) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (status === 0) return;
  console.error(`\`${[command, ...args].join(' ')}\` failed${error ? `: ${error.message}` : ''}.`);
  process.exit(status ?? 1);
}

const folder = mkdtempSync(join(tmpdir(), 'portolan-nodes-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
// A copy, so that the build of this clone stays the one of the current Node.
const copy = join(folder, 'portolan');
cpSync(root, copy, { recursive: true, filter: (path) => !LEFT_OUT.includes(relative(root, path)) });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');

for (const version of process.argv.slice(2)) {
  const installed = join(folder, version);
  mkdirSync(installed);
  // The npm package of this name contains the program.
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
  run('npm', ['install', '--prefix', installed, '--no-audit', '--no-fund', `${name}@${version}`], { shell: isWindows });
  const bin = join(installed, 'node_modules', name, 'bin');
  const node = join(bin, isWindows ? 'node.exe' : 'node');
  const options = { cwd: copy, env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` } };
  run(node, ['--version'], options);
  run(node, [join('scripts', 'build.mjs')], options);
  run(node, [join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--maxWorkers=2', ...TESTS], options);
}
