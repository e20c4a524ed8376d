import { dirname, join } from 'node:path';
import { sameFolderKey } from '../../model/index.js';
import type { Client, Place, ReadContext, StateRule } from '../client.js';
import { systemFile } from '../common-places.js';
import { codexDialect, codexJsonDialect } from '../dialects/agent-dialects.js';
import { none } from '../expansion.js';
import { at, isFields } from '../fields.js';
import { firstOf, flat, under } from '../find-entries.js';
import { NOT_ENABLED } from '../off-switches.js';
import { resolveTemplate, templatesFor } from '../path-template.js';
import { meets, type Requirements } from './codex-requirements.js';

const HOME = '<CODEX_HOME|~/.codex>';
const common = {
  format: 'toml',
  find: under('mcp_servers'),
  dialect: codexDialect,
  expansion: none,
  off: NOT_ENABLED,
} satisfies Partial<Place>;

const userPlace: Place = {
  ...common,
  scope: 'user',
  path: `${HOME}/config.toml`,
  precedence: 20,
  install: { key: ['mcp_servers'] },
};
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
  dialect: codexJsonDialect,
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

/** Project servers are disabled until the user's file trusts the project; managed requirements filter all servers. */
async function judge({ host, read }: ReadContext): Promise<StateRule> {
  const [userFile] = templatesFor(userPlace.path, host.platform).flatMap((path) => resolveTemplate(path, host));
  const user = userFile && (await read(userFile.path, 'toml'));
  const projects = at(user?.value, 'projects');
  const levelsOf = (folder: string): unknown[] =>
    Object.entries(isFields(projects) ? projects : {})
      .filter(([project]) => sameFolderKey(project, host) === sameFolderKey(folder, host))
      .map(([, project]) => at(project, 'trust_level'));
  const required = await requirements({ host, read });
  return (definition) => {
    if (required && !meets(definition, required)) return { state: 'blocked-by-policy' };
    if (definition.scope !== 'project') return undefined;
    // The trust level of the directory of the file counts, or otherwise that of the repository.
    const own = levelsOf(dirname(dirname(definition.source)));
    const levels = own.length > 0 ? own : levelsOf(host.repository ?? host.cwd);
    if (levels.includes('untrusted')) return { state: 'rejected' };
    return { state: levels.includes('trusted') ? 'ready' : 'pending-approval' };
  };
}

async function requirements({ host, read }: ReadContext): Promise<Requirements | undefined> {
  for (const { path } of templatesFor(systemPlace.path, host.platform).flatMap((one) => resolveTemplate(one, host))) {
    const document = await read(join(dirname(path), 'requirements.toml'), 'toml');
    const identities = at(document?.value, 'mcp_servers');
    const matchers = at(document?.value, 'mcp_server_matchers');
    if (identities !== undefined || matchers !== undefined) return { identities, matchers };
  }
  return undefined;
}
