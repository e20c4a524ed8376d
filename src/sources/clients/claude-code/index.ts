import type { Definition } from '../../../model/index.js';
import type { Client, Judge, Place, World } from '../../client.js';
import { claudeDialect } from '../../dialects/claude.js';
import { braced, expansion } from '../../expansion.js';
import { at, isFields, names } from '../../fields.js';
import { type Finder, type Found, firstOf, ignoredUnder, membersOf, under } from '../../find.js';
import type { Host } from '../../host.js';
import { pluginOf, pluginPlace } from './plugins.js';
import { isAllowed } from './policy.js';
import { folderRecords, HOME, managed, readSettings, type Settings, STATE_FILE } from './settings.js';

const common = { format: 'json', dialect: claudeDialect, expansion: expansion([braced]) } satisfies Partial<Place>;
const servers = under('mcpServers');

/** The servers of this folder alone, however its path is spelled. */
const localServers: Finder = (root, { host }): Found => {
  const found = folderRecords(root, host).map(([key, record]) =>
    membersOf(at(record, 'mcpServers'), ['projects', key, 'mcpServers']),
  );
  const entries = new Map(found.flatMap((one) => one.entries).map((entry) => [entry.name, entry]));
  return { entries: [...entries.values()], problems: found.flatMap((one) => one.problems) };
};

/** A list of names, which only point elsewhere, and of servers written out. */
const agentServers: Finder = (root) => {
  const list = at(root, 'mcpServers');
  if (!Array.isArray(list)) return membersOf(list, ['mcpServers']);
  const found = list.map((item: unknown, n) => (isFields(item) ? membersOf(item, ['mcpServers', n]) : undefined));
  return { entries: found.flatMap((one) => one?.entries ?? []), problems: [] };
};

const projectFile = firstOf(servers, ignoredUnder('servers', 'mcpServers', 'Claude Code'));

export const claudeCode: Client = {
  id: 'claude-code',
  name: 'Claude Code',
  places: [
    { ...common, scope: 'user', path: STATE_FILE, find: servers, precedence: 30, rank: 5 },
    { ...common, scope: 'local', path: STATE_FILE, find: localServers, precedence: 50, rank: 5 },
    { ...common, scope: 'project', path: '<project>/.mcp.json', find: projectFile, precedence: 40 },
    // Whether files of parent folders count is not settled; they are shown and never taken.
    { ...common, scope: 'project', path: '<above>/.mcp.json', find: servers, precedence: 35, state: 'inventory-only' },
    { ...common, scope: 'managed', path: managed('managed-mcp.json'), find: servers, precedence: 100 },
    {
      ...common,
      scope: 'user',
      path: `${HOME}/settings.json`,
      find: servers,
      precedence: 25,
      remark: {
        code: 'ignored-by-client',
        severity: 'warning',
        message: 'Claude Code itself ignores "mcpServers" in its settings',
        hint: 'move the servers to ~/.claude.json (`claude mcp add --scope user`)',
      },
    },
    pluginPlace,
    {
      ...common,
      scope: 'agent',
      path: [`${HOME}/agents/*.md`, '<project>/.claude/agents/*.md'],
      format: 'front-matter',
      find: agentServers,
      precedence: 10,
      state: 'inventory-only',
    },
  ],
  judge,
};

async function judge(world: World): Promise<Judge> {
  const settings = await readSettings(world);
  return (definition, place) => {
    const state = verdict(definition, settings, world.host);
    return state === undefined || place.state === 'inventory-only' ? undefined : { state };
  };
}

type Verdict = 'blocked-by-policy' | 'disabled' | 'rejected' | 'pending-approval' | 'ready' | 'client-ignores';

function verdict(definition: Definition, settings: Settings, host: Host): Verdict | undefined {
  const { name, scope } = definition;
  if (settings.isExclusive && scope !== 'managed') return 'blocked-by-policy';
  const pluginsOnly = settings.managed.some((one) => names(at(one, 'strictPluginOnlyCustomization')).includes('mcp'));
  if (pluginsOnly && scope !== 'plugin' && scope !== 'managed') return 'blocked-by-policy';
  if (!isAllowed(definition, settings, host)) return 'blocked-by-policy';
  if (settings.folder.some((record) => names(at(record, 'disabledMcpServers')).includes(name))) return 'disabled';
  if (scope === 'plugin') return isPluginOn(definition, settings, host) ? undefined : 'disabled';
  if (scope === 'project') return isDriveRoot(host) ? 'client-ignores' : approval(name, settings);
  return undefined;
}

/** A rejection counts wherever it stands; an approval out of the repository only once the folder is trusted. */
function approval(name: string, { user, project, local, managed: rules, folder, isTrusted }: Settings): Verdict {
  const every = [user, project, local, ...rules, ...folder];
  if (every.some((one) => names(at(one, 'disabledMcpjsonServers')).includes(name))) return 'rejected';
  const counted = [user, ...rules, ...folder, ...(isTrusted ? [project, local] : [])];
  const approved = counted.some(
    (one) => at(one, 'enableAllProjectMcpServers') === true || names(at(one, 'enabledMcpjsonServers')).includes(name),
  );
  return approved ? 'ready' : 'pending-approval';
}

/** The last of the settings that speaks of the plugin decides; a repository that is not trusted may only switch off. */
function isPluginOn(
  { source }: Definition,
  { user, project, local, managed: rules, isTrusted }: Settings,
  host: Host,
): boolean {
  const { name, marketplace } = pluginOf(source, host);
  const says = (settings: unknown) => {
    const plugins = at(settings, 'enabledPlugins');
    const keys = isFields(plugins)
      ? Object.entries(plugins)
      : names(plugins).map((key): [string, unknown] => [key, true]);
    return keys.find(
      ([key]) =>
        key === name || (marketplace === undefined ? key.startsWith(`${name}@`) : key === `${name}@${marketplace}`),
    )?.[1];
  };
  const ofRepository = [project, local].map(says).filter((value) => isTrusted || value === false);
  return [says(user), ...ofRepository, ...rules.map(says)].filter((value) => value !== undefined).at(-1) === true;
}

/** Claude Code does not look for the file at the root of a drive. */
function isDriveRoot(host: Host): boolean {
  return host.platform === 'win32' && /^[a-z]:[\\/]?$/i.test(host.cwd);
}
