import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { ancestors, type Host } from '../../../model/index.js';
import type { Place } from '../../client.js';
import { claudeDialect } from '../../dialects/claude-dialects.js';
import { braced, expansion, type Rule } from '../../expansion.js';
import { at, isFields } from '../../fields.js';
import {
  type AsyncFinder,
  type FileInfo,
  type Finder,
  type FoundEntries,
  firstOf,
  flat,
  membersOf,
  type RawEntry,
  under,
} from '../../find-entries.js';
import { resolveTemplate } from '../../path-template.js';
import type { ProblemDraft } from '../../problem-draft.js';
import { sideValue } from '../../side-file.js';
import { HOME } from './claude-code-settings.js';

/** The directory that contains the cache of installed plugins. The catalogue of plugins beside it is not read. */
const ROOTS = [
  '<CLAUDE_CODE_PLUGIN_CACHE_DIR|CLAUDE_CONFIG_DIR/plugins|~/.claude/plugins>',
  '<each:CLAUDE_CODE_PLUGIN_SEED_DIR>',
];
const CACHES = ROOTS.flatMap((root) => ['cache', 'repos'].map((kind) => `${root}/${kind}`));
/** Some users set this variable to the cache itself instead of its parent directory. */
const BARE_CACHE = '<CLAUDE_CODE_PLUGIN_CACHE_DIR>';
const MANIFEST = join('.claude-plugin', 'plugin.json');
const FILES = ['.mcp.json', '.claude-plugin/plugin.json'];

/** The answers given when the plugin was enabled are in a store that Portolan cannot read. */
const userConfig: Rule = {
  pattern: String.raw`\$\{user_config\.([^{}]+)\}`,
  meaning: (id) => ({ kind: 'input', id }),
};

/** A plugin, identified by its directory: `<cache>/<marketplace>/<plugin>/<version>`. */
interface Plugin {
  readonly folder: string;
  readonly name: string;
  /** The ids that settings may use: an installed plugin has the marketplace's name for it, not its own. */
  readonly ids: readonly string[];
  readonly marketplace: string | undefined;
}

function pluginOf(source: string, host: Host): Plugin {
  const cache = cacheAround(source, host);
  const near = basename(source) === 'plugin.json' ? dirname(dirname(source)) : dirname(source);
  const inside = ancestors(near).filter((folder) => folder.startsWith(`${cache}${sep}`));
  const folder = inside.find((one) => host.files.exists(join(one, MANIFEST))) ?? near;
  const below = relative(cache, folder).split(sep);
  const [marketplace, installed = basename(folder)] = below.length > 1 ? below : [undefined, below[0]];
  const written = at(sideValue(join(folder, MANIFEST), host), 'name');
  const name = typeof written === 'string' && written !== '' ? written : installed;
  return { folder, name, marketplace, ids: [...new Set([installed, name])] };
}

function cacheAround(source: string, host: Host): string {
  const all = [...CACHES, BARE_CACHE].flatMap((cache) => resolveTemplate(cache, host).map(({ path }) => path));
  return all.find((cache) => source.startsWith(`${cache}${sep}`)) ?? dirname(dirname(source));
}

const ownFile: Finder = firstOf(under('mcpServers'), flat);

/** `mcpServers` in a manifest: the servers, the path of a file that contains them, or a list of both. */
const manifestServers: AsyncFinder = async (root, file) => {
  const given = at(root, 'mcpServers');
  const parts = Array.isArray(given) ? given : [given];
  const found = await Promise.all(
    parts.map(async (part: unknown, n): Promise<FoundEntries> => {
      if (typeof part === 'string') return namedFile(part, file);
      return membersOf(part, Array.isArray(given) ? ['mcpServers', n] : ['mcpServers']);
    }),
  );
  return { entries: found.flatMap((one) => one.entries), problems: found.flatMap((one) => one.problems) };
};

async function namedFile(written: string, file: FileInfo): Promise<FoundEntries> {
  const folder = dirname(dirname(file.source));
  const path = resolve(folder, written.replace(/^\$\{CLAUDE_PLUGIN_ROOT\}[\\/]?/, './'));
  // A manifest may refer only to files in its own directory.
  if (!isInside(path, folder, file.host)) return unfound(written, 'is outside the plugin', 'move it into the plugin');
  // The default file is read even if the manifest does not name it.
  if (basename(path) === '.mcp.json' && file.host.files.exists(path)) return { entries: [], problems: [] };
  const reading = await file.read(path);
  if (reading.kind === 'absent') return unfound(written, 'does not exist', 'create it, or reinstall the plugin');
  if (reading.kind === 'failed')
    return unfound(written, `cannot be used: ${reading.problem.message}`, reading.problem.hint);
  const { entries, problems } = ownFile(reading.document.value, { ...file, source: path });
  return {
    entries: entries.map((entry) => ({
      ...entry,
      elsewhere: { source: path, line: reading.document.lineOf(entry.path) ?? 1 },
    })),
    problems,
  };
}

/** Whether the path is inside the directory, both as written and with all symlinks resolved. */
function isInside(path: string, folder: string, { files }: Host): boolean {
  if (path.includes('\0') || !path.startsWith(`${folder}${sep}`)) return false;
  const real = files.realPath(path);
  return real === undefined || real.startsWith(`${files.realPath(folder) ?? folder}${sep}`);
}

function unfound(written: string, why: string, hint: string): FoundEntries {
  const problem: ProblemDraft = {
    code: 'unreadable-file',
    severity: 'warning',
    message: `the file "${written}" in "mcpServers" ${why}`,
    hint,
  };
  return { entries: [], problems: [problem] };
}

const pluginServers: AsyncFinder = async (root, file): Promise<FoundEntries> => {
  const find = basename(file.source) === 'plugin.json' ? manifestServers : ownFile;
  const { entries, problems } = await find(root, file);
  if (entries.length === 0) return { entries, problems };
  const plugin = pluginOf(file.source, file.host);
  const variables = pluginVariables(plugin, file.host);
  return {
    entries: entries.map((entry): RawEntry => ({ ...entry, name: `plugin:${plugin.name}:${entry.name}`, variables })),
    problems,
  };
};

function pluginVariables({ folder, ids, marketplace }: Plugin, host: Host): Record<string, string> {
  const id = marketplace === undefined ? ids[0] : `${ids[0]}@${marketplace}`;
  const [data] = resolveTemplate(`${HOME}/plugins/data/${id?.replaceAll(/[^\w-]/g, '-')}`, host);
  return { CLAUDE_PLUGIN_ROOT: folder, CLAUDE_PLUGIN_DATA: data?.path ?? folder, CLAUDE_PROJECT_DIR: host.cwd };
}

/** The last settings file that mentions the plugin decides; an untrusted repository may only disable it. */
export function isPluginOn(
  source: string,
  { user, repository, managed, isTrusted }: PluginSettings,
  host: Host,
): boolean {
  const { ids, marketplace } = pluginOf(source, host);
  const isMeant = (key: string) =>
    ids.some(
      (id) => key === id || (marketplace === undefined ? key.startsWith(`${id}@`) : key === `${id}@${marketplace}`),
    );
  const says = (settings: unknown): boolean | undefined => {
    const plugins = at(settings, 'enabledPlugins');
    if (Array.isArray(plugins)) return plugins.some((key) => typeof key === 'string' && isMeant(key)) || undefined;
    const found = isFields(plugins) ? Object.entries(plugins).find(([key]) => isMeant(key))?.[1] : undefined;
    // A list of versions instead of a boolean enables the plugin.
    return found === undefined || found === null ? undefined : found !== false;
  };
  const ofRepository = repository.map(says).filter((value) => isTrusted || value === false);
  return [says(user), ...ofRepository, says(managed)].filter((value) => value !== undefined).at(-1) === true;
}

export interface PluginSettings {
  readonly user: unknown;
  /** The settings files in the repository, the committed one first. */
  readonly repository: readonly unknown[];
  readonly managed: unknown;
  readonly isTrusted: boolean;
}

export const pluginPlace: Place = {
  scope: 'plugin',
  path: [
    ...CACHES.flatMap((cache) => FILES.map((file) => `${cache}/**/${file}`)),
    ...FILES.map((file) => `${BARE_CACHE}/*/*/*/${file}`),
  ],
  format: 'json',
  find: pluginServers,
  dialect: claudeDialect,
  expansion: expansion([userConfig, braced], { fields: ['command', 'args', 'env', 'cwd', 'url', 'headers'] }),
  precedence: 20,
};
