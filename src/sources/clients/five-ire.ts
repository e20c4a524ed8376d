import type { Client } from '../client.js';
import { applicationData } from '../common-places.js';
import { fiveIreDialect } from '../dialects/apps.js';
import { expansion, template } from '../expansion.js';
import { firstOf, under } from '../find.js';

export const fiveIre: Client = {
  id: '5ire',
  name: '5ire',
  places: [
    {
      scope: 'user',
      path: applicationData('5ire/mcp.json'),
      format: 'json',
      find: firstOf(under('mcpServers'), under('servers')),
      dialect: fiveIreDialect,
      expansion: expansion([template]),
      precedence: 10,
    },
  ],
};
