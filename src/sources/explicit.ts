import { extname, isAbsolute, join, resolve } from 'node:path';
import { ErrorCode, PortolanError } from '../base/index.js';
import type { Client, Place } from './client.js';
import { claudeDialect } from './dialects/claude.js';
import { braced, expansion } from './expansion.js';
import { firstOf, flat, under } from './find.js';
import type { Format } from './formats/document.js';
import type { Host } from './host.js';

const FORMATS: Readonly<Record<string, Format>> = { toml: 'toml', yaml: 'yaml', yml: 'yaml', json5: 'json5' };

/** The one file or folder that someone named in the place of all others. That it is missing is an error, not an empty chart. */
export function explicitSource(target: string, host: Host): Client {
  const written = /^~(?=$|[\\/])/.test(target) ? join(host.home, target.slice(1)) : target;
  const path = isAbsolute(written) ? written : resolve(host.cwd, written);
  if (host.files.realPath(path) === undefined) {
    throw new PortolanError(ErrorCode.ConfigNotFound, `there is no file or folder ${path}`, {
      hint: 'MCP_SERVERS_CONFIG and --config name the only place that is read; correct the path, or leave them out to read every client',
    });
  }
  const isFolder = host.files.list(path).kind === 'read';
  const place: Place = {
    scope: 'user',
    path: `file:${path}${isFolder ? '/*.json' : ''}`,
    format: isFolder ? 'json' : (FORMATS[extname(path).slice(1).toLowerCase()] ?? 'json'),
    find: firstOf(under('mcpServers'), under('servers'), under('mcp_servers'), flat),
    dialect: claudeDialect,
    expansion: expansion([braced]),
    precedence: 10,
  };
  return { id: 'mcps-dir', name: 'MCP folders', places: [place] };
}
