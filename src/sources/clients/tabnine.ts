import type { Client } from '../client.js';
import { geminiDialect } from '../dialects/agent-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

export const tabnine: Client = {
  id: 'tabnine',
  name: 'Tabnine',
  places: [
    {
      scope: 'user',
      path: '~/.tabnine/agent/settings.json',
      format: 'json',
      find: under('mcpServers'),
      dialect: geminiDialect,
      expansion: none,
      precedence: 10,
      install: { key: ['mcpServers'] },
    },
  ],
};
