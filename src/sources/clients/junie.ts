import type { Client, Place } from '../client.js';
import { claudeDesktopDialect } from '../dialects/claude-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

const common = {
  format: 'json',
  find: under('mcpServers'),
  dialect: claudeDesktopDialect,
  expansion: none,
} satisfies Partial<Place>;

export const junie: Client = {
  id: 'junie',
  name: 'Junie',
  places: [
    { ...common, scope: 'user', path: '~/.junie/mcp/mcp.json', precedence: 10, install: { key: ['mcpServers'] } },
    { ...common, scope: 'project', path: '<project>/.junie/mcp/mcp.json', precedence: 20 },
  ],
};
