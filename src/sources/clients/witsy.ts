import type { Client } from '../client.js';
import { applicationData } from '../common-places.js';
import { witsyDialect } from '../dialects/apps.js';
import { none } from '../expansion.js';
import { allOf, under } from '../find.js';

export const witsy: Client = {
  id: 'witsy',
  name: 'Witsy',
  places: [
    {
      scope: 'user',
      path: applicationData('Witsy/settings.json'),
      format: 'json',
      find: allOf(under('mcpServers'), under('mcp', 'servers')),
      dialect: witsyDialect,
      expansion: none,
      precedence: 10,
    },
  ],
};
