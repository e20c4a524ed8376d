import type { Client, Place } from '../client.js';
import { extensionStorage } from '../common-places.js';
import { rooDialect } from '../dialects/editor-dialects.js';
import { envColon, expansion, WHOLE_ENTRY, workspaceFolder } from '../expansion.js';
import { under } from '../find-entries.js';
import { DISABLED } from '../off-switches.js';

const common = {
  format: 'json',
  find: under('mcpServers'),
  dialect: rooDialect,
  expansion: expansion([envColon, workspaceFolder], { fields: WHOLE_ENTRY, unset: 'empty' }),
  off: DISABLED,
} satisfies Partial<Place>;

export const rooCode: Client = {
  id: 'roo-code',
  name: 'Roo Code',
  places: [
    {
      ...common,
      scope: 'user',
      path: extensionStorage('rooveterinaryinc.roo-cline/settings/mcp_settings.json'),
      precedence: 10,
      install: { key: ['mcpServers'] },
    },
    { ...common, scope: 'project', path: '<project>/.roo/mcp.json', precedence: 20 },
  ],
};
