import type { Client, Place } from '../client.js';
import { extensionStorage } from '../common-places.js';
import { clineDialect } from '../dialects/editor-dialects.js';
import { envColon, expansion, WHOLE_ENTRY } from '../expansion.js';
import { under } from '../find-entries.js';
import { DISABLED } from '../off-switches.js';

const common = {
  scope: 'user',
  format: 'json',
  find: under('mcpServers'),
  dialect: clineDialect,
  expansion: expansion([envColon], { fields: WHOLE_ENTRY }),
  install: { key: ['mcpServers'] },
  off: DISABLED,
} satisfies Partial<Place>;
const FILE = 'settings/cline_mcp_settings.json';

export const cline: Client = {
  id: 'cline',
  name: 'Cline',
  places: [
    {
      ...common,
      path: `<CLINE_MCP_SETTINGS_PATH|CLINE_DATA_DIR/${FILE}|CLINE_DIR/data/${FILE}|~/.cline/data/${FILE}>`,
      precedence: 20,
    },
    { ...common, path: extensionStorage(`saoudrizwan.claude-dev/${FILE}`), precedence: 10 },
  ],
};
