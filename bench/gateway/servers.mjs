// The servers behind the gateways, each as a client would write it in its configuration.
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

/** What the servers' processes are known by, so that a gateway is not charged for them. */
export const SERVER_SCRIPTS = new Set([lean, minimal, everything]);
/** The proxy that only parses and forwards; its server follows as arguments. */
export const BARE_PROXY = join(here, 'servers', 'bare-proxy.mjs');
/** What is measured. */
export const PORTOLAN = join(root, 'dist', 'cli.cjs');

/** A word of its own for each keeps a gateway from seeing thirty times the same server. */
export function leanServer(name) {
  return { command: process.execPath, args: [lean, '--name', name] };
}

/** As many servers as somebody with many clients has, two tools each. */
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

/** A server people use, made with the SDK; undefined if it is not installed. */
export function everythingServer() {
  return everything && { command: process.execPath, args: [everything, 'stdio'] };
}

/** One server for each recorded catalogue, `lean` beside them to be called; undefined where the recordings are not. */
export function catalogServers() {
  const files = catalogFiles();
  if (files.length === 0) return undefined;
  const entries = files.map((file) => [file.slice(0, -'.json'.length), catalogServer([join(catalogs, file)])]);
  return { ...Object.fromEntries(entries), lean: leanServer('lean') };
}

/** The same tools from a single server, for those that stand before one only. */
export function catalogInOneServer() {
  const files = catalogFiles();
  if (files.length === 0) return undefined;
  return catalogServer(
    files.map((file) => join(catalogs, file)),
    ['--callable'],
  );
}

/** How many tools the recordings hold. */
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
