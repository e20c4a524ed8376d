import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PEERS = {
  'mcp-hub-mcp': 'dist/index.js',
  'mcp-proxy': 'dist/bin/mcp-proxy.mjs',
  supergateway: 'dist/index.js',
};
/** In the order of the table. */
export const PEER_NAMES = Object.keys(PEERS);
const INSTALL_LIMIT_MS = 120_000;

/** Installs the newest version of each peer separately, so that a failed installation does not affect the others. */
export async function installPeers(folder) {
  const installed = await Promise.all(Object.keys(PEERS).map((name) => install(name, join(folder, name))));
  return Object.fromEntries(installed.map((peer) => [peer.name, peer]));
}

async function install(name, folder) {
  mkdirSync(folder, { recursive: true });
  const packageFolder = join(folder, 'node_modules', name);
  const script = join(packageFolder, PEERS[name]);
  if (!existsSync(script)) {
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const problem = await npmInstall(name, folder);
    if (problem) return { name, problem };
    if (!existsSync(script)) return { name, problem: `installed, but ${PEERS[name]} is not in it` };
  }
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  return { name, version, script };
}

/** The error; undefined if the installation succeeded. Installation scripts are not run. */
function npmInstall(name, folder) {
  const args = ['install', name, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  return new Promise((resolve) => {
    const npm = spawn('npm', args, {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      shell: process.platform === 'win32',
      timeout: INSTALL_LIMIT_MS,
    });
    let said = '';
    npm.stderr.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-4_000);
    });
    npm.on('error', (error) => resolve(error.message));
    npm.on('exit', (code, signal) => {
      if (code === 0) resolve(undefined);
      else
        resolve(
          /npm error (?!code|errno|syscall|network This)(.+)/.exec(said)?.[1] ??
            `npm ended with ${signal ?? `code ${code}`}`,
        );
    });
  });
}
