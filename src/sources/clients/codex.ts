import { join } from 'node:path';
import { matchesWildcard } from '../../base/index.js';
import type { Definition } from '../../model/index.js';
import type { Client, Judge, Place, World } from '../client.js';
import { systemFile } from '../common-places.js';
import { codexDialect } from '../dialects/agents.js';
import { none } from '../expansion.js';
import { at, isFields } from '../fields.js';
import { firstOf, flat, under } from '../find.js';
import { sameFolderKey } from '../host.js';
import { resolveTemplate, templatesFor } from '../locate.js';

const HOME = '<CODEX_HOME|~/.codex>';
const common = {
  format: 'toml',
  find: under('mcp_servers'),
  dialect: codexDialect,
  expansion: none,
} satisfies Partial<Place>;

const userPlace: Place = { ...common, scope: 'user', path: `${HOME}/config.toml`, precedence: 20 };
const systemPlace: Place = {
  ...common,
  scope: 'managed',
  path: systemFile('/etc/codex/config.toml', '/etc/codex/config.toml', 'OpenAI/Codex/config.toml'),
  precedence: 10,
};
const pluginPlace: Place = {
  ...common,
  scope: 'plugin',
  path: `${HOME}/plugins/cache/**/.mcp.json`,
  format: 'json',
  find: firstOf(under('mcpServers'), under('mcp_servers'), flat),
  precedence: 5,
};

export const codex: Client = {
  id: 'codex',
  name: 'Codex',
  places: [
    userPlace,
    { ...common, scope: 'project', path: '<up>/.codex/config.toml', precedence: 30 },
    systemPlace,
    pluginPlace,
  ],
  judge,
};

/** A project's servers stay off until the user's own file trusts the project; requirements of the system filter all. */
async function judge({ host, read }: World): Promise<Judge> {
  const [userFile] = templatesFor(userPlace.path, host.platform).flatMap((path) => resolveTemplate(path, host));
  const user = userFile && (await read(userFile.path, 'toml'));
  const projects = at(user?.value, 'projects');
  const here = new Set([host.cwd, host.repository ?? host.cwd].map((folder) => sameFolderKey(folder, host)));
  const levels = Object.entries(isFields(projects) ? projects : {})
    .filter(([folder]) => here.has(sameFolderKey(folder, host)))
    .map(([, project]) => at(project, 'trust_level'));
  const required = await requirements({ host, read });
  return (definition) => {
    if (required && definition.scope !== 'managed' && !meets(definition, at(required, definition.name))) {
      return { state: 'blocked-by-policy' };
    }
    if (definition.scope !== 'project') return undefined;
    if (levels.includes('untrusted')) return { state: 'rejected' };
    return { state: levels.includes('trusted') ? 'ready' : 'pending-approval' };
  };
}

async function requirements({ host, read }: World): Promise<unknown> {
  for (const { path } of templatesFor(systemPlace.path, host.platform).flatMap((one) => resolveTemplate(one, host))) {
    const document = await read(join(path, '..', 'requirements.toml'), 'toml');
    const servers = at(document?.value, 'mcp_servers');
    if (servers !== undefined) return servers;
  }
  return undefined;
}

/** A server must be listed by name and be what the list says it is; what the list says in a way we cannot check is a no. */
function meets(definition: Definition, requirement: unknown): boolean {
  if (!isFields(requirement)) return false;
  const identity = isFields(requirement.identity) ? requirement.identity : requirement;
  const wanted = [
    { rule: at(identity, 'command'), is: definition.command },
    { rule: at(identity, 'url'), is: definition.url },
  ].filter(({ rule }) => rule !== undefined);
  return wanted.every(({ rule, is }) => is !== undefined && fits(rule, is));
}

function fits(rule: unknown, text: string): boolean {
  if (typeof rule === 'string') return rule === text;
  const exact = at(rule, 'exact');
  const prefix = at(rule, 'prefix');
  if (typeof exact === 'string') return exact === text;
  // A regular expression out of a file can take forever; only the plain kind of one is followed.
  const regex = at(rule, 'regex');
  if (typeof regex === 'string' && /^\^?[\w\s:/@-]*(?:\.\*[\w\s:/@-]*)*\$?$/.test(regex)) {
    const open = `${regex.startsWith('^') ? '' : '*'}${regex.replace(/^\^|\$$/g, '').replaceAll('.*', '*')}${regex.endsWith('$') ? '' : '*'}`;
    return matchesWildcard(open, text);
  }
  return typeof prefix === 'string' && text.startsWith(prefix);
}
