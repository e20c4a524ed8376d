import type { Client, Place } from '../client.js';
import { applicationData } from '../common-places.js';
import { cursorDialect } from '../dialects/editor-dialects.js';
import { expansion, WHOLE_ENTRY, workspaceFolder } from '../expansion.js';
import { under } from '../find-entries.js';

const common = {
  format: 'json',
  find: under('mcpServers'),
  dialect: cursorDialect,
  expansion: expansion([workspaceFolder], { fields: WHOLE_ENTRY }),
} satisfies Partial<Place>;

export const trae: Client = {
  id: 'trae',
  name: 'Trae',
  places: [
    {
      ...common,
      scope: 'user',
      path: applicationData('{Trae,Trae CN}/User/mcp.json'),
      precedence: 10,
      install: { key: ['mcpServers'] },
    },
    // Read only if project servers are enabled, which is not stored in a file.
    { ...common, scope: 'project', path: '<project>/.trae/mcp.json', precedence: 20, state: 'pending-approval' },
  ],
};
