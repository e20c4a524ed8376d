import type { Client } from '../client.js';
import { claudeDialect } from '../dialects/claude-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

export const nanobot: Client = {
  id: 'nanobot',
  name: 'nanobot',
  places: [
    {
      scope: 'user',
      path: '~/.nanobot/config.json',
      format: 'json',
      find: under('tools', 'mcpServers'),
      dialect: claudeDialect,
      expansion: none,
      precedence: 10,
      install: { key: ['tools', 'mcpServers'] },
    },
  ],
};
