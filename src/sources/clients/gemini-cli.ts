import { dirname, join } from 'node:path';
import { matchesWildcard } from '../../base/index.js';
import type { Host } from '../../model/index.js';
import type { Client, Place, ReadContext, StateRule } from '../client.js';
import { bare, braced, editorFolders, expansion, type Rule } from '../expansion.js';
import { at, names } from '../fields.js';
import { type Finder, under } from '../find-entries.js';
import { resolveTemplate, templatesFor } from '../path-template.js';
import { folderTrust, geminiPlace, isListedOut, readEnvFile } from './gemini-family.js';

const HOME = '<GEMINI_CLI_HOME|~>/.gemini';

const extensionPath: Rule = {
  pattern: String.raw`\$\{(extensionPath)\}`,
  meaning: (_, { folder }) => ({ kind: 'value', value: folder }),
};

/** The `.env` file of an extension contains the settings that were entered during its installation. */
const extensionServers: Finder = (root, file) => {
  const found = under('mcpServers')(root, file);
  const variables = readEnvFile(join(dirname(file.source), '.env'), file.host);
  return { ...found, entries: found.entries.map((entry) => ({ ...entry, variables })) };
};

const systemPlace = {
  ...geminiPlace,
  scope: 'managed',
} satisfies Partial<Place>;

/** A system settings file, whose path a variable can override. */
function systemFile(name: string, moved: string): Place['path'] {
  return {
    darwin: `<${moved}|/Library/Application Support/GeminiCli/${name}>`,
    linux: `<${moved}|/etc/gemini-cli/${name}>`,
    win32: `<${moved}|ProgramData/gemini-cli/${name}|/ProgramData/gemini-cli/${name}>`,
  };
}

const userPlace: Place = {
  ...geminiPlace,
  scope: 'user',
  path: `${HOME}/settings.json`,
  precedence: 20,
  install: { key: ['mcpServers'] },
};
const projectPlace: Place = {
  ...geminiPlace,
  scope: 'project',
  path: '<project>/.gemini/settings.json',
  precedence: 30,
};
const settingsPlace: Place = {
  ...systemPlace,
  path: systemFile('settings.json', 'GEMINI_CLI_SYSTEM_SETTINGS_PATH'),
  precedence: 100,
};
const defaultsPlace: Place = {
  ...systemPlace,
  path: systemFile('system-defaults.json', 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH'),
  precedence: 1,
};
const extensionPlace: Place = {
  ...geminiPlace,
  scope: 'extension',
  path: `${HOME}/extensions/*/gemini-extension.json`,
  find: extensionServers,
  expansion: expansion([extensionPath, editorFolders, braced, bare], {
    fields: ['command', 'args', 'env', 'cwd', 'url', 'headers'],
  }),
  precedence: 10,
};

export const geminiCli: Client = {
  id: 'gemini-cli',
  name: 'Gemini CLI',
  places: [userPlace, projectPlace, settingsPlace, defaultsPlace, extensionPlace],
  judge,
};

async function judge(context: ReadContext): Promise<StateRule> {
  const { host } = context;
  const [user, project, system] = await Promise.all(
    [userPlace, projectPlace, settingsPlace].map((place) => settingsOf(place, context)),
  );
  const beside = async (name: string) => {
    const [spot] = resolveTemplate(`${HOME}/${name}`, host);
    return spot && (await context.read(spot.path, 'json'))?.value;
  };
  const toggles = lowerCaseKeys(await beside('mcp-server-enablement.json'));
  const extensions = await beside('extensions/extension-enablement.json');
  const folders = await beside('trustedFolders.json');
  const asked = [system, user].map(
    (settings) => at(settings, 'security', 'folderTrust', 'enabled') ?? at(settings, 'folderTrust'),
  );
  const trustIsOn = asked.find((value) => value !== undefined) ?? folders !== undefined;
  const trust = trustIsOn === true ? folderTrust(folders, host) : 'trusted';
  return ({ name, scope, source }) => {
    if (isListedOut(system, name)) return { state: 'blocked-by-policy' };
    // The settings of an untrusted project are ignored.
    if (isListedOut(user, name) || (trust === 'trusted' && isListedOut(project, name))) return { state: 'disabled' };
    if (at(toggles.get(name.toLowerCase()), 'enabled') === false) return { state: 'disabled' };
    if (scope === 'extension' && !isExtensionOn(extensions, source, host)) return { state: 'disabled' };
    if (scope !== 'project' || trust === 'trusted') return undefined;
    return { state: trust === 'untrusted' ? 'rejected' : 'pending-approval' };
  };
}

async function settingsOf(place: Place, { host, read }: ReadContext): Promise<unknown> {
  for (const { path } of templatesFor(place.path, host.platform).flatMap((one) => resolveTemplate(one, host))) {
    const document = await read(path, 'json');
    if (document) return document.value;
  }
  return undefined;
}

function lowerCaseKeys(value: unknown): Map<string, unknown> {
  const pairs = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return new Map(pairs.map(([key, item]) => [key.toLowerCase().trim(), item]));
}

/** Extensions are enabled unless a rule for this directory says otherwise; the last matching rule decides. */
function isExtensionOn(enablement: unknown, source: string, host: Host): boolean {
  const extension = dirname(source).split(/[\\/]/).at(-1) ?? '';
  const folder = `${host.cwd.replaceAll('\\', '/').replace(/\/+$/, '')}/`;
  let on = true;
  for (const rule of names(at(enablement, extension, 'overrides'))) {
    const off = rule.startsWith('!');
    // A rule without a trailing star applies only to the directory itself.
    const pattern = rule
      .slice(off ? 1 : 0)
      .replaceAll('\\', '/')
      .replace(/(?<![/*])$/, '/');
    if (matchesWildcard(pattern, folder)) on = !off;
  }
  return on;
}
