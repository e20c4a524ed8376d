import type { Client, Place } from '../client.js';
import { claudeDialect } from '../dialects/claude-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

const common = {
  format: 'json',
  find: under('mcpServers'),
  dialect: claudeDialect,
  expansion: none,
} satisfies Partial<Place>;

/** Directories of files that belong to no client and apply to all. */
export const mcpsDir: Client = {
  id: 'mcps-dir',
  name: 'MCP folders',
  places: [
    { ...common, scope: 'user', path: '~/MCPs/*.json', precedence: 10, rank: 1 },
    { ...common, scope: 'user', path: '~/.config/mcp/servers/*.json', precedence: 5, rank: 2 },
    {
      ...common,
      scope: 'project',
      path: '<project>/mcp-servers/*.json',
      precedence: 20,
      rank: 3,
      state: 'pending-approval',
    },
  ],
};
