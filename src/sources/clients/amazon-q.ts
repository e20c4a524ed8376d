import type { Client, Place } from '../client.js';
import { amazonqDialect } from '../dialects/editor-dialects.js';
import { envColon, expansion } from '../expansion.js';
import { under } from '../find-entries.js';
import { DISABLED } from '../off-switches.js';

const common = {
  format: 'json',
  find: under('mcpServers'),
  dialect: amazonqDialect,
  off: DISABLED,
} satisfies Partial<Place>;
const everywhere = expansion([envColon]);

export const amazonQ: Client = {
  id: 'amazon-q',
  name: 'Amazon Q Developer',
  places: [
    {
      ...common,
      scope: 'user',
      path: '~/.aws/amazonq/mcp.json',
      expansion: expansion([envColon], { fields: ['env'] }),
      precedence: 10,
      install: { key: ['mcpServers'] },
    },
    { ...common, scope: 'project', path: '<project>/.amazonq/mcp.json', expansion: everywhere, precedence: 20 },
    {
      ...common,
      scope: 'agent',
      path: [
        '~/.aws/amazonq/cli-agents/*.json',
        '~/.aws/amazonq/agents/default.json',
        '<project>/.amazonq/cli-agents/*.json',
      ],
      expansion: everywhere,
      precedence: 30,
    },
  ],
};
