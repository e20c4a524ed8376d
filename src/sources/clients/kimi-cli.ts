import type { Client } from '../client.js';
import { claudeDialect } from '../dialects/claude-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

export const kimiCli: Client = {
  id: 'kimi-cli',
  name: 'Kimi CLI',
  places: [
    {
      scope: 'user',
      path: ['~/.kimi/mcp.json', '~/.kimi-code/mcp.json'],
      format: 'json',
      find: under('mcpServers'),
      dialect: claudeDialect,
      expansion: none,
      precedence: 10,
      install: { key: ['mcpServers'] },
    },
  ],
};
