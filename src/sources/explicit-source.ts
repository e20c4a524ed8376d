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

/** The single file or directory that replaces all sources. If it does not exist, that is an error. */
export function explicitSource(target: string, host: Host): Client {
  const path = pathOf(target, host);
  if (host.files.realPath(path) === undefined) {
    throw new PortolanError(ErrorCode.ConfigNotFound, `no file or directory exists at ${path}`, {
      hint: 'correct the path in MCP_SERVERS_CONFIG or --config, or remove it to read all clients',
    });
  }
  return { id: 'mcps-dir', name: 'MCP folders', places: [placeAt(path, {}, host)] };
}

/** An additional source from the settings: a file or directory, and where in it the servers are. */
export interface AddedSource {
  readonly path: string;
  /** Keys on the way to the servers, joined by dots. */
  readonly key?: string;
  readonly format?: Format | 'jsonc';
}

/** An additional source beside the clients. It may be missing. */
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
