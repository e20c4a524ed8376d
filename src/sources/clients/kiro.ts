import type { Client, Place } from '../client.js';
import { kiroDialect } from '../dialects/editor-dialects.js';
import { braced, expansion, WHOLE_ENTRY } from '../expansion.js';
import { allOf, under } from '../find-entries.js';
import { DISABLED } from '../off-switches.js';

const servers = under('mcpServers');
const common = {
  format: 'json',
  find: servers,
  dialect: kiroDialect,
  expansion: expansion([braced], { fields: WHOLE_ENTRY }),
  off: DISABLED,
} satisfies Partial<Place>;

export const kiro: Client = {
  id: 'kiro',
  name: 'Kiro',
  places: [
    {
      ...common,
      scope: 'user',
      path: '~/.kiro/settings/mcp.json',
      find: allOf(servers, under('powers', 'mcpServers')),
      precedence: 10,
      install: { key: ['mcpServers'] },
    },
    { ...common, scope: 'project', path: '<project>/.kiro/settings/mcp.json', precedence: 20 },
    { ...common, scope: 'agent', path: ['~/.kiro/agents/*.json', '<project>/.kiro/agents/*.json'], precedence: 30 },
  ],
};
