// Makes a fresh clone ready: installs what is missing and builds what is out of date. Quiet when there is nothing to do.
//   --no-build  only installs      --lean  only what it takes to build and to run, for a first look
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLeanInstalled, leanInstall } from './lean-install.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const lock = join(root, 'package-lock.json');
const installed = join(root, 'node_modules', '.package-lock.json');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Portolan needs Node.js 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

/** Ends with the command's own exit code if it fails. Its output goes to stderr: stdout belongs to what is started next. */
function run(command, args, cwd = root) {
  const windows = process.platform === 'win32';
  const { status, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2], shell: windows });
  if (status === 0) return;
  console.error(`\`${[command, ...args].join(' ')}\` failed${error ? `: ${error.message}` : ''}`);
  process.exit(status ?? 1);
}

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** npm writes what it installed beside the modules; the same packages in both files means nothing is missing. */
function isInstalled() {
  if (!existsSync(installed)) return false;
  const versions = (file) =>
    Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages)
      .filter(([name, entry]) => name !== '' && !entry.optional)
      .map(([name, entry]) => `${name}@${entry.version}`)
      .sort()
      .join('\n');
  return versions(lock) === versions(installed);
}

const isLean = process.argv.includes('--lean');
if (isLean && !existsSync(join(root, 'node_modules'))) {
  console.error('installing what it takes to build and to run …');
  leanInstall(root, (args, folder) => run('npm', args, folder));
}

if (isLean ? !isLeanInstalled(root) : !isInstalled()) {
  console.error('installing dependencies …');
  // Not `npm ci`: it refuses a lock file without the packages of other platforms, and not every registry has those of every
  // version. This installs what the lock file says and leaves it as it is.
  run('npm', ['install', '--no-save', '--no-fund', '--no-audit', '--loglevel=error']);
}

if (!process.argv.includes('--no-build')) {
  const built = join(root, 'dist', 'cli.js');
  const inputs = ['src', 'examples', 'scripts/build.mjs', 'package.json', 'tsconfig.json', 'tsconfig.types.json'];
  // A lean build has no declarations.
  const isWhole = isLean || existsSync(join(root, 'dist', 'types', 'index.d.ts'));
  if (!existsSync(built) || !isWhole || inputs.some((input) => newest(join(root, input)) > statSync(built).mtimeMs)) {
    console.error('building …');
    run(process.execPath, ['scripts/build.mjs']);
  }
}
