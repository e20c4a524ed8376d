import type { Client } from '../client.js';
import { claudeDialect } from '../dialects/claude-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

export const abacus: Client = {
  id: 'abacus',
  name: 'Abacus.AI',
  places: [
    {
      scope: 'user',
      path: '~/.abacusai/mcp.json',
      format: 'json',
      find: under('mcpServers'),
      dialect: claudeDialect,
      expansion: none,
      precedence: 10,
      install: { key: ['mcpServers'] },
    },
  ],
};
