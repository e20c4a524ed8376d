// Measures the disk space of an installed copy with its dependencies, and its start time, compared with bare Node and
// the peers.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { median } from './figures.mjs';
import { newPlace, runFolder } from './session.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const INSTALL_LIMIT_MS = 120_000;

/** Bytes by contender, with and without optional packages, and the time of `portolan list` on an empty machine. */
export function measurePackage(peers, { rounds }, notes) {
  const figures = { installed: new Map(), needed: new Map(), start: new Map() };
  for (const [name, { script }] of Object.entries(peers)) {
    if (script)
      figures.installed.set(name, sizeOf(join(script.split(`${name}/node_modules`)[0], name, 'node_modules')));
  }
  try {
    const modules = installed();
    figures.installed.set('portolan', sizeOf(modules));
    figures.needed.set('portolan', sizeOf(modules) - sizeOf(join(modules, 'pyodide')));
    const { bin } = JSON.parse(readFileSync(join(modules, 'portolan', 'package.json'), 'utf8'));
    const list = [join(modules, 'portolan', bin.portolan), 'list'];
    const times = { direct: [], portolan: [] };
    for (let round = -1; round < rounds; round += 1) {
      for (const [name, args] of [
        ['direct', ['-e', '0']],
        ['portolan', list],
      ]) {
        const ms = timed(args);
        if (round >= 0) times[name].push(ms); // the first round fills the disk cache
      }
    }
    for (const [name, all] of Object.entries(times)) figures.start.set(name, median(all));
  } catch (error) {
    notes.add('the installed package', error);
  }
  return figures;
}

/** Packs this clone and installs the package as users do; returns the directory of its modules. */
function installed() {
  const folder = join(runFolder, 'package');
  const project = join(folder, 'project');
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'package.json'), '{"private":true}');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  npm(['pack', '--ignore-scripts', '--pack-destination', folder], root);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  npm(['install', ...quiet, '--prefer-offline', join(folder, tarball)], project);
  return join(project, 'node_modules');
}

function npm(args, cwd) {
  const shell = process.platform === 'win32';
  execFileSync('npm', args, { cwd, shell, stdio: 'ignore', timeout: INSTALL_LIMIT_MS });
}

function timed(args) {
  const { cwd, env } = newPlace();
  const begin = performance.now();
  const { status } = spawnSync(process.execPath, args, { cwd, env });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  return performance.now() - begin;
}

/** The bytes in files, not the blocks that they occupy, because those differ between disks. */
function sizeOf(folder) {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return 0; // an optional package that is not there
  }
  return entries.reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + sizeOf(path);
    return entry.isFile() ? sum + statSync(path).size : sum;
  }, 0);
}
