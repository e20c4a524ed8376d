import type { Client } from '../client.js';
import { applicationData } from '../common-places.js';
import { fiveIreDialect } from '../dialects/app-dialects.js';
import { expansion, type Rule } from '../expansion.js';
import { firstOf, under } from '../find-entries.js';

/** `{{name}}`, optionally with a type and a description: `{{name@string::description}}`. */
const placeholder: Rule = {
  pattern: String.raw`\{\{([^{}]+)\}\}`,
  meaning: (inside) => ({ kind: 'input', id: inside.split('@')[0]?.trim() || inside.trim() }),
};

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
      expansion: expansion([placeholder]),
      precedence: 10,
    },
  ],
};
