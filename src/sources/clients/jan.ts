import type { Client } from '../client.js';
import { janDialect } from '../dialects/app-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

export const jan: Client = {
  id: 'jan',
  name: 'Jan',
  places: [
    {
      scope: 'user',
      path: {
        darwin: '~/Library/Application Support/Jan/data/mcp_config.json',
        linux: '<XDG_DATA_HOME|~/.local/share>/Jan/data/mcp_config.json',
        win32: '<APPDATA|~/AppData/Roaming>/Jan/data/mcp_config.json',
      },
      format: 'json',
      find: under('mcpServers'),
      dialect: janDialect,
      expansion: none,
      precedence: 10,
      off: { field: ['active'], value: false },
      install: { key: ['mcpServers'], entry: (program) => ({ ...program, env: {}, active: true }) },
    },
  ],
};
