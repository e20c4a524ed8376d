import type { Client } from '../client.js';
import { claudeDesktopDialect } from '../dialects/claude-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

export const boltai: Client = {
  id: 'boltai',
  name: 'BoltAI',
  places: [
    {
      scope: 'user',
      path: { darwin: '~/.boltai/mcp.json' },
      format: 'json',
      find: under('mcpServers'),
      dialect: claudeDesktopDialect,
      expansion: none,
      precedence: 10,
      install: { key: ['mcpServers'] },
    },
  ],
};
