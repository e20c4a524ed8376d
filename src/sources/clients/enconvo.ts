import type { Client } from '../client.js';
import { claudeDesktopDialect } from '../dialects/claude.js';
import { none } from '../expansion.js';
import { under } from '../find.js';

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
