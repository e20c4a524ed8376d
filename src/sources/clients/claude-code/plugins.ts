import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Place } from '../../client.js';
import { claudeDialect } from '../../dialects/claude.js';
import { braced, expansion, type Rule } from '../../expansion.js';
import { at, isFields } from '../../fields.js';
import { type FileInfo, type Finder, type Found, firstOf, flat, membersOf, under, type Written } from '../../find.js';
import type { Host } from '../../host.js';
import { resolveTemplate } from '../../locate.js';
import { HOME } from './settings.js';

/** The folder that holds the cache of installed plugins. The catalogue of those not installed lies beside it, unread. */
const ROOTS = [
  '<CLAUDE_CODE_PLUGIN_CACHE_DIR|CLAUDE_CONFIG_DIR/plugins|~/.claude/plugins>',
  '<each:CLAUDE_CODE_PLUGIN_SEED_DIR>',
];
const FILES = ['.mcp.json', '.claude-plugin/plugin.json'];

/** What was asked when the plugin was enabled is kept where we cannot see it. */
const userConfig: Rule = {
  pattern: String.raw`\$\{user_config\.([^{}]+)\}`,
  meaning: (id) => ({ kind: 'input', id }),
};

/** A plugin by its folder: `<cache>/<marketplace>/<plugin>/<version>`. */
export interface Plugin {
  readonly folder: string;
  readonly name: string;
  readonly marketplace: string | undefined;
}

export function pluginOf(source: string, host: Host): Plugin {
  const folder = basename(source) === 'plugin.json' ? dirname(dirname(source)) : dirname(source);
  const steps = folder.split(sep);
  const cache = Math.max(steps.lastIndexOf('cache'), steps.lastIndexOf('repos'));
  const below = steps.slice(cache + 1);
  const [marketplace, plugin] = below.length > 1 ? below.slice(0, 2) : [undefined, below[0]];
  return { folder, marketplace, name: manifestName(folder, host) ?? plugin ?? basename(folder) };
}

function manifestName(folder: string, host: Host): string | undefined {
  const name = at(readJson(join(folder, '.claude-plugin', 'plugin.json'), host), 'name');
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** A small file inside a plugin; what does not parse is reported where it is read as a place of its own. */
function readJson(path: string, host: Host): unknown {
  const reading = host.files.read(path);
  if (reading.kind !== 'read') return undefined;
  try {
    return JSON.parse(reading.text);
  } catch {
    return undefined;
  }
}

const ownFile: Finder = firstOf(under('mcpServers'), flat);

/** `mcpServers` in a manifest: the servers, the path of a file with them, or a list of either. */
const manifestServers: Finder = (root, file) => {
  const folder = dirname(dirname(file.source));
  const given = at(root, 'mcpServers');
  const parts = Array.isArray(given) ? given : [given];
  const found = parts.map((part: unknown) => {
    if (typeof part !== 'string') return isFields(part) ? membersOf(part, ['mcpServers']) : undefined;
    const path = resolve(folder, part);
    // A manifest speaks for its own folder only; the usual file is read without being named.
    if (!path.startsWith(`${folder}${sep}`) || path === join(folder, '.mcp.json')) return undefined;
    return ownFile(readJson(path, file.host), file);
  });
  return { entries: found.flatMap((one) => one?.entries ?? []), problems: found.flatMap((one) => one?.problems ?? []) };
};

const pluginServers: Finder = (root, file: FileInfo): Found => {
  const find = basename(file.source) === 'plugin.json' ? manifestServers : ownFile;
  const { entries, problems } = find(root, file);
  if (entries.length === 0) return { entries, problems };
  const plugin = pluginOf(file.source, file.host);
  const variables = pluginVariables(plugin, file.host);
  return {
    entries: entries.map((entry): Written => ({ ...entry, name: `plugin:${plugin.name}:${entry.name}`, variables })),
    problems,
  };
};

function pluginVariables({ folder, name, marketplace }: Plugin, host: Host): Record<string, string> {
  const id = marketplace === undefined ? name : `${name}@${marketplace}`;
  const [data] = resolveTemplate(`${HOME}/plugins/data/${id.replaceAll(/[^\w.@-]/g, '-')}`, host);
  return { CLAUDE_PLUGIN_ROOT: folder, CLAUDE_PLUGIN_DATA: data?.path ?? folder, CLAUDE_PROJECT_DIR: host.cwd };
}

export const pluginPlace: Place = {
  scope: 'plugin',
  path: [
    ...ROOTS.flatMap((root) => ['cache', 'repos'].flatMap((kind) => FILES.map((file) => `${root}/${kind}/**/${file}`))),
    // The variable is called after the cache, and some point it there instead of at the folder around it.
    ...FILES.map((file) => `<CLAUDE_CODE_PLUGIN_CACHE_DIR>/*/*/*/${file}`),
  ],
  format: 'json',
  find: pluginServers,
  dialect: claudeDialect,
  expansion: expansion([userConfig, braced], { fields: ['command', 'args', 'env', 'cwd', 'url', 'headers'] }),
  precedence: 20,
};
