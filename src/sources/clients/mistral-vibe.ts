import type { Client } from '../client.js';
import { vibeDialect } from '../dialects/agent-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

export const mistralVibe: Client = {
  id: 'mistral-vibe',
  name: 'Mistral Vibe',
  places: [
    {
      scope: 'user',
      path: '~/.vibe/config.toml',
      format: 'toml',
      find: under('mcp_servers'),
      dialect: vibeDialect,
      expansion: none,
      precedence: 10,
      install: {
        key: ['mcp_servers'],
        list: true,
        entry: (program, name) => ({ name, transport: 'stdio', ...program }),
      },
    },
  ],
};
