// What a newcomer's first `npm start` has to wait for. The tests use real servers of others, which take minutes to install;
// to build and to run takes a few small packages.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The packages for development that end up in what is built, and what builds it; a test compares them with the imports. */
export const TO_BUILD = [
  ...['esbuild', '@modelcontextprotocol/server', '@toon-format/toon'],
  ...['json5', 'jsonc-parser', 're2js', 'smol-toml', 'yaml'],
];

/** Whether everything that is needed to build and to run is there, in the versions of the lock file. */
export function isLeanInstalled(root) {
  const { packages } = read(join(root, 'package-lock.json'));
  const { dependencies } = read(join(root, 'package.json'));
  return [...Object.keys(dependencies), ...TO_BUILD].every((name) => {
    const manifest = join(root, 'node_modules', name, 'package.json');
    return existsSync(manifest) && read(manifest).version === packages[`node_modules/${name}`]?.version;
  });
}

/** Installs that much into a clone that has nothing yet; `npm` is how to call npm in a folder. Whatever else is needed later is added then. */
export function leanInstall(root, npm) {
  const { dependencies, optionalDependencies, devDependencies } = read(join(root, 'package.json'));
  const building = Object.fromEntries(TO_BUILD.map((name) => [name, devDependencies[name]]));
  // Beside the modules, so that they are moved and not copied.
  const folder = mkdtempSync(join(root, '.install-'));
  // Also where npm fails and takes this process along.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const manifest = { private: true, dependencies: { ...dependencies, ...building }, optionalDependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  // The versions are those of the lock file; what it has besides is left out by npm.
  copyFileSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'));
  copyFileSync(join(root, '.npmrc'), join(folder, '.npmrc'));
  npm(['install', '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'], folder);
  renameSync(join(folder, 'node_modules'), join(root, 'node_modules'));
}

function read(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
