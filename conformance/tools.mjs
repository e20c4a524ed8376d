import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(fileURLToPath(import.meta.url)), 'tools');
const INSTALL_MS = 5 * 60_000;
const PACKAGE = '@modelcontextprotocol/conformance';
const isWindows = process.platform === 'win32';

/** The last release, and the first pre-release with the current revision, which is pinned because it has no tag. */
const SUITES = { 'suite-0.1': '0.1.16', 'suite-0.2': '0.2.0-alpha.12' };
const INSPECTOR = { '@modelcontextprotocol/inspector': '2.12.0' };
/** The suite imports `fs.globSync`, which Node.js has since 22. */
const NODE = { node: '22.23.3' };

const isNewEnough = Number(process.versions.node.split('.')[0]) >= 22;
const wanted = { ...SUITES, ...INSPECTOR, ...(isNewEnough ? {} : NODE) };
const inModules = (...names) => join(folder, 'node_modules', ...names);

function isInstalled() {
  return Object.entries(wanted).every(([name, version]) => {
    const path = inModules(name, 'package.json');
    return existsSync(path) && JSON.parse(readFileSync(path, 'utf8')).version === version;
  });
}

function install() {
  mkdirSync(folder, { recursive: true });
  const dependencies = Object.fromEntries(
    Object.entries(wanted).map(([name, version]) => [name, name in SUITES ? `npm:${PACKAGE}@${version}` : version]),
  );
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`);
  const words = ['install', '--no-package-lock', '--no-fund', '--no-audit', '--loglevel=error'];
  const options = { cwd: folder, encoding: 'utf8', timeout: INSTALL_MS, shell: isWindows };
  const { status, stderr, error } = spawnSync('npm', words, options);
  if (status !== 0) throw new Error(`npm could not install the suite: ${error?.message ?? stderr?.trim()}`);
}

/**
 * A Node.js that can load the suite, the two versions of the suite, and the inspector; throws with the reason if one is
 * missing.
 */
export function prepareTools() {
  if (!isInstalled()) {
    process.stderr.write('installing the conformance suite …\n');
    install();
  }
  const node = isNewEnough ? process.execPath : inModules('node', 'bin', isWindows ? 'node.exe' : 'node');
  const { status, error } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  // npm may be configured to run no installation scripts, without which this package is empty.
  if (status !== 0) throw new Error(`there is no Node.js 22 to run the suite with: ${error?.message ?? status}`);
  const suites = Object.fromEntries(Object.keys(SUITES).map((name) => [name, inModules(name, 'dist/index.js')]));
  return { node, suites, inspector: inModules('@modelcontextprotocol/inspector/clients/launcher/build/index.js') };
}
