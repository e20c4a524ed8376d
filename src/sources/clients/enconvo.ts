import type { Client } from '../client.js';
import { claudeDesktopDialect } from '../dialects/claude-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

export const enconvo: Client = {
  id: 'enconvo',
  name: 'Enconvo',
  places: [
    {
      scope: 'user',
      path: { darwin: '~/.config/enconvo/mcp_config.json' },
      format: 'json',
      find: under('mcpServers'),
      dialect: claudeDesktopDialect,
      expansion: none,
      precedence: 10,
      install: { key: ['mcpServers'] },
    },
  ],
};
