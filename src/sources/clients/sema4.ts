import type { Client } from '../client.js';
import { claudeDialect } from '../dialects/claude-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

export const sema4: Client = {
  id: 'sema4',
  name: 'Sema4.ai Studio',
  places: [
    {
      scope: 'user',
      path: '~/.sema4ai/sema4ai-studio/mcp_servers.json',
      format: 'json',
      find: under('mcpServers'),
      dialect: claudeDialect,
      expansion: none,
      precedence: 10,
      install: { key: ['mcpServers'] },
    },
  ],
};
