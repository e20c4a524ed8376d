import type { Client, Place } from '../client.js';
import { antigravityDialect } from '../dialects/editor-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';
import { DISABLED } from '../off-switches.js';

const common = {
  format: 'json',
  find: under('mcpServers'),
  dialect: antigravityDialect,
  expansion: none,
  off: DISABLED,
} satisfies Partial<Place>;

export const antigravity: Client = {
  id: 'antigravity',
  name: 'Antigravity',
  places: [
    {
      ...common,
      scope: 'user',
      path: '~/.gemini/config/mcp_config.json',
      precedence: 20,
      install: { key: ['mcpServers'] },
    },
    {
      ...common,
      scope: 'user',
      path: '~/.gemini/antigravity/mcp_config.json',
      precedence: 10,
      install: { key: ['mcpServers'] },
    },
    { ...common, scope: 'project', path: '<project>/{.agents,.agent,_agents,_agent}/mcp_config.json', precedence: 30 },
  ],
};
