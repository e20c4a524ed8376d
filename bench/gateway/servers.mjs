// The servers of the gateways, each as a client would write it in its configuration.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const lean = join(here, 'servers', 'lean-server.mjs');
const minimal = join(here, 'servers', 'minimal-sdk-server.mjs');
const everything = packageFile('@modelcontextprotocol/server-everything', 'dist/index.js');
const catalogs = join(root, '..', 'shared', 'data', 'catalogs');

/** Identifies the processes of the servers, so that they do not count for the gateway. */
export const SERVER_SCRIPTS = new Set([lean, minimal, everything]);
/** The proxy that only parses and forwards; its server follows as arguments. */
export const BARE_PROXY = join(here, 'servers', 'bare-proxy.mjs');
/** The measured servers. */
export const PORTOLAN = join(root, 'dist', 'cli.cjs');

/** Each gets a different argument, so that a gateway does not treat thirty of them as one server. */
export function leanServer(name) {
  return { command: process.execPath, args: [lean, '--name', name] };
}

/** As many servers as a user of many clients has, with two tools each. */
export function manyServers(count) {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`server-${n + 1}`, leanServer(`server-${n + 1}`)]),
  );
}

/** The reference for the first list; undefined if the SDK is not installed. */
export function minimalServer() {
  return packageFile('@modelcontextprotocol/server', 'package.json')
    ? { command: process.execPath, args: [minimal] }
    : undefined;
}

/** A published server made with the SDK; undefined if it is not installed. */
export function everythingServer() {
  return everything && { command: process.execPath, args: [everything, 'stdio'] };
}

/** One server for each recorded catalog, and `lean` to be called; undefined without the recordings. */
export function catalogServers() {
  const files = catalogFiles();
  if (files.length === 0) return undefined;
  const entries = files.map((file) => [file.slice(0, -'.json'.length), catalogServer([join(catalogs, file)])]);
  return { ...Object.fromEntries(entries), lean: leanServer('lean') };
}

/** The same tools from one server, for contenders that serve only one. */
export function catalogInOneServer() {
  const files = catalogFiles();
  if (files.length === 0) return undefined;
  return catalogServer(
    files.map((file) => join(catalogs, file)),
    ['--callable'],
  );
}

/** The number of recorded tools. */
export function catalogSize() {
  return catalogFiles().reduce(
    (sum, file) => sum + JSON.parse(readFileSync(join(catalogs, file), 'utf8')).tools.length,
    0,
  );
}

function catalogServer(files, more = []) {
  return { command: process.execPath, args: [lean, ...files.flatMap((file) => ['--catalog', file]), ...more] };
}

function catalogFiles() {
  return existsSync(catalogs) ? readdirSync(catalogs).filter((name) => name.endsWith('.json')) : [];
}

function packageFile(name, path) {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.map((folder) => join(folder, name, path)).find((file) => existsSync(file));
}
