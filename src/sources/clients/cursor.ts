import type { Client, Place } from '../client.js';
import { cursorDialect } from '../dialects/editor-dialects.js';
import { editorFolders, envColon, expansion, WITH_SIGN_IN } from '../expansion.js';
import { firstOf, flat, under } from '../find-entries.js';

const common = {
  format: 'json',
  dialect: cursorDialect,
  expansion: expansion([envColon, editorFolders], { fields: WITH_SIGN_IN }),
} satisfies Partial<Place>;
const servers = under('mcpServers');

export const cursor: Client = {
  id: 'cursor',
  name: 'Cursor',
  places: [
    {
      ...common,
      scope: 'user',
      path: '~/.cursor/mcp.json',
      find: servers,
      precedence: 10,
      rank: 6,
      install: { key: ['mcpServers'] },
    },
    // Approvals are in a database of the editor and expire with every change of the entry.
    {
      ...common,
      scope: 'project',
      path: '<project>/.cursor/mcp.json',
      find: servers,
      precedence: 20,
      state: 'pending-approval',
    },
    {
      ...common,
      scope: 'plugin',
      path: '~/.cursor/plugins/{cache,local}/**/{mcp.json,.mcp.json}',
      find: firstOf(servers, flat),
      precedence: 5,
    },
  ],
};
