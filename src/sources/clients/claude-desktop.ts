import { basename, dirname, join } from 'node:path';
import type { Client, Judge, Place, World } from '../client.js';
import { applicationData } from '../common-places.js';
import { claudeDesktopDialect } from '../dialects/claude.js';
import { expansion, none, type Rule } from '../expansion.js';
import { at, type Fields, isFields, names } from '../fields.js';
import { type Finder, under } from '../find.js';
import type { Host } from '../host.js';
import { resolveTemplate } from '../locate.js';

/** The Store package keeps its own copy of the folder, and with it there the usual one is not read any more. */
const PACKAGE = '<LOCALAPPDATA|~/AppData/Local>/Packages/Claude_*';
const common = {
  scope: 'user',
  format: 'json',
  find: under('mcpServers'),
  dialect: claudeDesktopDialect,
  expansion: none,
} satisfies Partial<Place>;

const usual: Place = { ...common, path: applicationData('Claude/claude_desktop_config.json'), precedence: 10 };
const packaged: Place = {
  ...common,
  path: { win32: `${PACKAGE}/LocalCache/Roaming/Claude/claude_desktop_config.json` },
  precedence: 20,
};

const KNOWN_FOLDERS = ['HOME', 'DESKTOP', 'DOCUMENTS', 'DOWNLOADS'];

/** References of a manifest: its own folder, some of the user's, and what was asked when it was installed. */
const manifestReference: Rule = {
  pattern: String.raw`\$\{(__dirname|HOME|DESKTOP|DOCUMENTS|DOWNLOADS|\/|pathSeparator|user_config\.[^{}]+)\}`,
  meaning(name, { host, folder, variables }) {
    const own = variables[name];
    if (own !== undefined) return { kind: 'value', value: own };
    if (name.startsWith('user_config.')) return { kind: 'input', id: name.slice('user_config.'.length) };
    if (name === '__dirname') return { kind: 'value', value: folder };
    if (!KNOWN_FOLDERS.includes(name)) return { kind: 'value', value: host.platform === 'win32' ? '\\' : '/' };
    return { kind: 'value', value: name === 'HOME' ? host.home : join(host.home, capitalised(name)) };
  },
};

/** One server for each manifest, with what the user answered taken from the settings beside the extensions. */
const manifestServer: Finder = (root, { source, host }) => {
  const config = at(root, 'server', 'mcp_config');
  if (!isFields(root) || !isFields(config)) return { entries: [], problems: [] };
  const override = at(config, 'platform_overrides', host.platform);
  const merged = { ...config, ...(isFields(override) ? override : {}) };
  const settings = extensionSettings(source, host);
  const answers = { ...defaults(root), ...(isFields(settings.userConfig) ? settings.userConfig : {}) };
  const name = typeof root.name === 'string' && root.name !== '' ? root.name : basename(dirname(source));
  const description = typeof root.description === 'string' ? { description: root.description } : {};
  const value = {
    ...description,
    ...merged,
    args: spreadLists(merged, answers),
    ...(settings.isEnabled === false && { disabled: true }),
  };
  return { entries: [{ name, value, path: ['server', 'mcp_config'], variables: plainAnswers(answers) }], problems: [] };
};

function extensionSettings(manifest: string, host: Host): Fields {
  const id = basename(dirname(manifest));
  const reading = host.files.read(join(dirname(manifest), '..', '..', 'Claude Extensions Settings', `${id}.json`));
  if (reading.kind !== 'read') return {};
  try {
    const value: unknown = JSON.parse(reading.text);
    return isFields(value) ? value : {};
  } catch {
    return {}; // what it would have answered shows as a question instead
  }
}

function defaults(manifest: Fields): Fields {
  const questions = isFields(manifest.user_config) ? Object.entries(manifest.user_config) : [];
  return Object.fromEntries(
    questions.map(([key, question]) => [key, at(question, 'default')]).filter(([, value]) => value !== undefined),
  );
}

/** An answer that is a list becomes as many arguments. */
function spreadLists(config: Fields, answers: Fields): unknown {
  if (!Array.isArray(config.args)) return config.args;
  return config.args.flatMap((arg: unknown) => {
    const key = typeof arg === 'string' ? /^\$\{user_config\.([^{}]+)\}$/.exec(arg)?.[1] : undefined;
    const answer = key === undefined ? undefined : answers[key];
    return Array.isArray(answer) ? names(answer) : [arg];
  });
}

function plainAnswers(answers: Fields): Record<string, string> {
  const plain = Object.entries(answers).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return Object.fromEntries(plain.map(([key, value]) => [`user_config.${key}`, String(value)]));
}

function capitalised(name: string): string {
  return `${name.charAt(0)}${name.slice(1).toLowerCase()}`;
}

const extension = {
  scope: 'extension',
  format: 'json',
  find: manifestServer,
  dialect: claudeDesktopDialect,
  expansion: expansion([manifestReference]),
  precedence: 5,
} satisfies Partial<Place>;

export const claudeDesktop: Client = {
  id: 'claude-desktop',
  name: 'Claude Desktop',
  places: [
    usual,
    packaged,
    { ...extension, path: applicationData('Claude/Claude Extensions/*/manifest.json') },
    { ...extension, path: { win32: `${PACKAGE}/LocalCache/Roaming/Claude/Claude Extensions/*/manifest.json` } },
  ],
  judge,
};

async function judge({ host }: World): Promise<Judge> {
  const stale = host.platform === 'win32' && isPackaged(host);
  return (_, place) => {
    if (!stale || place !== usual) return undefined;
    return {
      state: 'client-ignores',
      problem: {
        code: 'stale-config-file',
        severity: 'warning',
        message: 'Claude Desktop is installed as a package and does not read this file any more',
        hint: 'move the entry to claude_desktop_config.json in the folder of the package, below AppData\\Local\\Packages',
      },
    };
  };
}

function isPackaged(host: Host): boolean {
  return resolveTemplate(PACKAGE, host).some(({ path }) => {
    const listing = host.files.list(dirname(path));
    return listing.kind === 'read' && listing.names.some((entry) => entry.folder && entry.name.startsWith('Claude_'));
  });
}
