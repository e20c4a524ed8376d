import type { Client, Place } from '../client.js';
import { warpDialect } from '../dialects/editor-dialects.js';
import { expansion, template, WHOLE_ENTRY } from '../expansion.js';
import { firstOf, under } from '../find-entries.js';

const common = {
  format: 'json',
  find: firstOf(under('mcpServers'), under('servers'), under('mcp_servers'), under('mcp', 'servers')),
  dialect: warpDialect,
  expansion: expansion([template], { fields: WHOLE_ENTRY }),
} satisfies Partial<Place>;

export const warp: Client = {
  id: 'warp',
  name: 'Warp',
  places: [
    { ...common, scope: 'user', path: '~/.warp/.mcp.json', precedence: 10, install: { key: ['mcpServers'] } },
    // Servers of a project wait until the user starts them in Warp.
    { ...common, scope: 'project', path: '<repo>/.warp/.mcp.json', precedence: 20, state: 'pending-approval' },
  ],
};
