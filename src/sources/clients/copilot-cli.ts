import { ancestors, sameFolderKey } from '../../model/index.js';
import type { Client, Place, ReadContext, StateRule } from '../client.js';
import { copilotDialect } from '../dialects/editor-dialects.js';
import { bare, braced, expansion } from '../expansion.js';
import { at, names } from '../fields.js';
import { under } from '../find-entries.js';
import { resolveTemplate } from '../path-template.js';

const HOME = '<COPILOT_HOME|~/.copilot>';
const common = {
  format: 'json',
  find: under('mcpServers'),
  dialect: copilotDialect,
  expansion: expansion([braced, bare], { fields: ['env', 'headers'] }),
} satisfies Partial<Place>;

export const copilotCli: Client = {
  id: 'copilot-cli',
  name: 'GitHub Copilot CLI',
  places: [
    {
      ...common,
      scope: 'user',
      path: `${HOME}/mcp-config.json`,
      precedence: 10,
      install: { key: ['mcpServers'], entry: (program) => ({ type: 'local', ...program, tools: ['*'] }) },
    },
    { ...common, scope: 'project', path: ['<repo>/.github/mcp.json', '<up>/.mcp.json'], precedence: 20 },
  ],
  judge,
};

/** Servers of a project are loaded only in a trusted directory. */
async function judge({ host, read }: ReadContext): Promise<StateRule> {
  const [file] = resolveTemplate(`${HOME}/config.json`, host);
  const settings = file && (await read(file.path, 'json'))?.value;
  const trusted = new Set(
    [at(settings, 'trusted_folders'), at(settings, 'trustedFolders')]
      .flatMap(names)
      .map((folder) => sameFolderKey(folder, host)),
  );
  const here = ancestors(host.cwd).some((folder) => trusted.has(sameFolderKey(folder, host)));
  return ({ scope }) => (scope === 'project' ? { state: here ? 'ready' : 'pending-approval' } : undefined);
}
