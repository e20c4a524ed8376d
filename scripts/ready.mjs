// Makes a clone ready to run: installs the packages and builds, each only if it is missing or out of date.
//   --no-build  only installs
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Each package manager writes one of these into node_modules when it has installed everything. */
const INSTALLED = ['.package-lock.json', '.modules.yaml', '.yarn-state.yml'].map((name) =>
  join(root, 'node_modules', name),
);
const BUILT = join(root, 'dist', 'cli.cjs');
const SOURCES = ['src', 'examples', 'scripts', 'package.json', 'tsconfig.json', 'tsconfig.types.json'];

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Portolan needs Node.js 20.19 or newer; this is ${process.versions.node}. Install it from nodejs.org.`);
  process.exit(1);
}

/** The newest modification below `path` in milliseconds; 0 if there is nothing. */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** Ends with the exit code of a command that fails. Output goes to stderr: stdout belongs to the program started next. */
function step(message, command, args) {
  console.error(message);
  const shell = process.platform === 'win32';
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell });
  if (status === 0) return;
  console.error(`\`${[command, ...args].join(' ')}\` failed${error ? `: ${error.message}` : ''}.`);
  process.exit(status ?? 1);
}

if (Math.max(...INSTALLED.map(newest)) < newest(join(root, 'package-lock.json')))
  step('Installing the packages (once, about 15 seconds) …', 'npm', ['ci', '--no-fund', '--no-audit']);

if (
  !process.argv.includes('--no-build') &&
  newest(BUILT) < Math.max(...SOURCES.map((name) => newest(join(root, name))))
)
  step('Building …', process.execPath, [join(root, 'scripts', 'build.mjs')]);
