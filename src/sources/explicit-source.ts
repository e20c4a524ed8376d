import { extname, isAbsolute, join, resolve } from 'node:path';
import { ErrorCode, PortolanError } from '../base/index.js';
import type { Host } from '../model/index.js';
import type { Client, Place } from './client.js';
import { claudeDialect } from './dialects/claude-dialects.js';
import { braced, expansion, WITH_SIGN_IN } from './expansion.js';
import { firstOf, flat, under } from './find-entries.js';
import type { Format } from './formats/document.js';

const USUAL_KEYS = firstOf(under('mcpServers'), under('servers'), under('mcp_servers'), flat);
const FORMATS: Readonly<Record<string, Format>> = { toml: 'toml', yaml: 'yaml', yml: 'yaml', json5: 'json5' };

/** The one file or folder that someone named in the place of all others. That it is missing is an error, not an empty chart. */
export function explicitSource(target: string, host: Host): Client {
  const path = pathOf(target, host);
  if (host.files.realPath(path) === undefined) {
    throw new PortolanError(ErrorCode.ConfigNotFound, `there is no file or folder ${path}`, {
      hint: 'MCP_SERVERS_CONFIG and --config name the only place that is read; correct the path, or leave them out to read every client',
    });
  }
  return { id: 'mcps-dir', name: 'MCP folders', places: [placeAt(path, {}, host)] };
}

/** One more place that the settings name: a file or folder, and where in it the servers are. */
export interface AddedSource {
  readonly path: string;
  /** Keys on the way to the servers, joined by dots. */
  readonly key?: string;
  readonly format?: Format | 'jsonc';
}

/** A place beside those of the clients. That nothing is there yet is no error. */
export function addedSource(source: AddedSource, host: Host): Client {
  return { id: 'portolan', name: 'Portolan', places: [placeAt(pathOf(source.path, host), source, host)] };
}

function pathOf(target: string, host: Host): string {
  const written = /^~(?=$|[\\/])/.test(target) ? join(host.home, target.slice(1)) : target;
  return isAbsolute(written) ? written : resolve(host.cwd, written);
}

function placeAt(path: string, { key, format }: Partial<AddedSource>, host: Host): Place {
  const isFolder = host.files.list(path).kind === 'read';
  const byName = isFolder ? 'json' : (FORMATS[extname(path).slice(1).toLowerCase()] ?? 'json');
  return {
    scope: 'user',
    path: `file:${path}${isFolder ? '/*.json' : ''}`,
    format: format === 'jsonc' ? 'json' : (format ?? byName),
    find: key === undefined ? USUAL_KEYS : under(...key.split('.')),
    dialect: claudeDialect,
    expansion: expansion([braced], { fields: WITH_SIGN_IN }),
    precedence: 10,
  };
}
