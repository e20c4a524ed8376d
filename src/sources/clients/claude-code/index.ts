import { basename, dirname } from 'node:path';
import type { Definition, Host } from '../../../model/index.js';
import type { Client, Place, ReadContext, RuleFile, StateRule } from '../../client.js';
import { claudeDialect } from '../../dialects/claude-dialects.js';
import { braced, expansion } from '../../expansion.js';
import { at, isFields, names } from '../../fields.js';
import {
  type Finder,
  type FoundEntries,
  firstOf,
  ignoredUnder,
  membersOf,
  type RawEntry,
  under,
} from '../../find-entries.js';
import { isPluginOn, pluginPlace } from './claude-code-plugins.js';
import { isAllowed } from './claude-code-policy.js';
import {
  type ClaudeCodeSettings,
  folderRecords,
  HOME,
  MANAGED_DROP_INS,
  MANAGED_SETTINGS,
  managed,
  readSettings,
  STATE_FILE,
} from './claude-code-settings.js';

const common = { format: 'json', dialect: claudeDialect, expansion: expansion([braced]) } satisfies Partial<Place>;
const servers = under('mcpServers');

/** The servers of this directory, for all spellings of its path. */
const localServers: Finder = (root, { host }): FoundEntries => {
  const found = folderRecords(root, host).map(([key, record]) =>
    membersOf(at(record, 'mcpServers'), ['projects', key, 'mcpServers']),
  );
  // Equal entries under two spellings of the path are one server; different ones are both kept, so that the user sees
  // them.
  const entries = new Map(found.flatMap((one) => one.entries).map((entry) => [spelling(entry), entry]));
  return { entries: [...entries.values()], problems: found.flatMap((one) => one.problems) };
};

function spelling({ name, value }: RawEntry): string {
  try {
    return JSON.stringify([name, value]);
  } catch {
    return name; // nested too deeply to be serialized, so it is not a real entry
  }
}

/** The servers of every directory. */
const everyLocalServer: Finder = (root): FoundEntries => {
  const projects = at(root, 'projects');
  const found = Object.entries(isFields(projects) ? projects : {}).map(([key, record]) =>
    membersOf(at(record, 'mcpServers'), ['projects', key, 'mcpServers']),
  );
  return { entries: found.flatMap((one) => one.entries), problems: [] };
};

/** A list of server names, which are references, and of inline servers. */
const agentServers: Finder = (root) => {
  const list = at(root, 'mcpServers');
  if (!Array.isArray(list)) return membersOf(list, ['mcpServers']);
  const found = list.map((item: unknown, n) => (isFields(item) ? membersOf(item, ['mcpServers', n]) : undefined));
  return { entries: found.flatMap((one) => one?.entries ?? []), problems: [] };
};

const noServers: Finder = () => ({ entries: [], problems: [] });

const projectFile = firstOf(servers, ignoredUnder('servers', 'mcpServers', 'Claude Code'));

export const claudeCode: Client = {
  id: 'claude-code',
  name: 'Claude Code',
  places: [
    {
      ...common,
      scope: 'user',
      path: STATE_FILE,
      find: servers,
      precedence: 30,
      rank: 5,
      install: { key: ['mcpServers'], entry: (program) => ({ type: 'stdio', ...program }) },
    },
    {
      ...common,
      scope: 'local',
      path: STATE_FILE,
      find: localServers,
      findEverywhere: everyLocalServer,
      precedence: 50,
      rank: 5,
    },
    {
      ...common,
      scope: 'project',
      path: '<project>/.mcp.json',
      find: projectFile,
      precedence: 40,
      // Other clients read this file in every directory up to the root of the repository.
      shared: { key: ['mcpServers'], file: '<up>/.mcp.json' },
    },
    // Claude Code does not document whether files of parent directories count, so they are only listed.
    { ...common, scope: 'project', path: '<above>/.mcp.json', find: servers, precedence: 35, state: 'inventory-only' },
    {
      ...common,
      scope: 'managed',
      path: managed('managed-mcp.json'),
      find: servers,
      precedence: 100,
      exclusive: true,
    },
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
    // These contain no servers. They are read so that a malformed file is reported, because its rules would not apply.
    { ...common, scope: 'managed', path: MANAGED_SETTINGS, find: noServers, precedence: 0 },
    { ...common, scope: 'managed', path: MANAGED_DROP_INS, find: noServers, precedence: 0 },
    { ...common, scope: 'project', path: '<project>/.claude/settings.json', find: noServers, precedence: 0 },
    { ...common, scope: 'local', path: '<project>/.claude/settings.local.json', find: noServers, precedence: 0 },
  ],
  judge,
  rules,
};

async function rules(context: ReadContext): Promise<readonly RuleFile[]> {
  const { user, project, local, managed: ofAdministrator, broken } = await readSettings(context);
  const files: readonly RuleFile[] = [
    { source: 'settings.json of Claude Code', author: 'user', value: user },
    { source: '.claude/settings.json', author: 'repository', value: project },
    { source: '.claude/settings.local.json', author: 'repository', value: local },
    { source: 'managed settings of Claude Code', author: 'managed', value: ofAdministrator },
  ];
  const written = files.filter(({ value }) => isFields(value) && Object.keys(value).length > 0);
  const unread = broken.map((source): RuleFile => ({ source, author: 'managed', value: undefined, isBroken: true }));
  return [...written, ...unread];
}

async function judge(context: ReadContext): Promise<StateRule> {
  const settings = await readSettings(context);
  return (definition, place) => {
    const state = verdict(definition, settings, context.host);
    return state === undefined || place.state === 'inventory-only' ? undefined : { state };
  };
}

type Verdict = 'blocked-by-policy' | 'disabled' | 'rejected' | 'pending-approval' | 'ready' | 'client-ignores';

function verdict(definition: Definition, settings: ClaudeCodeSettings, host: Host): Verdict | undefined {
  const { name, scope } = definition;
  if (settings.isExclusive && scope !== 'managed') return 'blocked-by-policy';
  const locked = at(settings.managed, 'strictPluginOnlyCustomization');
  const pluginsOnly = locked === true || names(locked).includes('mcp');
  if (pluginsOnly && scope !== 'plugin' && scope !== 'managed') return 'blocked-by-policy';
  if (!isAllowed(definition, settings, host)) return 'blocked-by-policy';
  if (settings.folder.some((record) => names(at(record, 'disabledMcpServers')).includes(name))) return 'disabled';
  if (scope === 'plugin') {
    const { user, project, local, managed: rules, isTrusted } = settings;
    const plugins = { user, repository: [project, local], managed: rules, isTrusted };
    return isPluginOn(definition.source, plugins, host) ? undefined : 'disabled';
  }
  if (scope === 'project') return isDriveRoot(host) ? 'client-ignores' : approval(name, settings);
  return undefined;
}

/** A rejection always counts; an approval in the repository only after the directory is trusted. */
function approval(
  name: string,
  { user, project, local, managed: rules, folder, isTrusted }: ClaudeCodeSettings,
): Verdict {
  const every = [user, ...folder, project, local, rules];
  if (every.some((one) => names(at(one, 'disabledMcpjsonServers')).includes(name))) return 'rejected';
  const counted = [user, ...folder, ...(isTrusted ? [project, local] : []), rules];
  const named = counted.some((one) => names(at(one, 'enabledMcpjsonServers')).includes(name));
  const all = counted.map((one) => at(one, 'enableAllProjectMcpServers')).filter((value) => typeof value === 'boolean');
  return named || all.at(-1) === true ? 'ready' : 'pending-approval';
}

/** Claude Code does not read the file in the root directory of a drive. */
function isDriveRoot({ platform, cwd, root }: Host): boolean {
  const isDrive = /^[a-z]:[\\/]?$/i.test(cwd);
  // Under a root that replaces the machine, the drive is a directory.
  return platform === 'win32' && (isDrive || (dirname(cwd) === root && /^[a-z]:?$/i.test(basename(cwd))));
}
