import type { Client, Place } from '../client.js';
import { claudeDialect } from '../dialects/claude-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

const common = {
  format: 'json',
  find: under('mcpServers'),
  dialect: claudeDialect,
  expansion: none,
  precedence: 5,
} satisfies Partial<Place>;

/** A directory that several agents share. */
export const agentsDir: Client = {
  id: 'agents-dir',
  name: 'Agents folder',
  places: [
    { ...common, scope: 'user', path: '~/.agents/.mcp.json', install: { key: ['mcpServers'] } },
    { ...common, scope: 'project', path: '<repo>/.agents/.mcp.json' },
  ],
};
