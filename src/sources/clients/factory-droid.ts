import type { Client, Place } from '../client.js';
import { deprecated } from '../common-places.js';
import { claudeDialect } from '../dialects/claude-dialects.js';
import { braced, expansion } from '../expansion.js';
import { under } from '../find-entries.js';
import { DISABLED } from '../off-switches.js';

const common = {
  format: 'json',
  find: under('mcpServers'),
  dialect: claudeDialect,
  expansion: expansion([braced]),
  off: DISABLED,
} satisfies Partial<Place>;

export const factoryDroid: Client = {
  id: 'factory-droid',
  name: 'Factory Droid',
  places: [
    // Unlike in other clients, the user's entry has precedence over the project's.
    {
      ...common,
      scope: 'user',
      path: '~/.factory/mcp.json',
      precedence: 20,
      install: { key: ['mcpServers'], entry: (program) => ({ type: 'stdio', ...program }) },
    },
    { ...common, scope: 'project', path: '<project>/.factory/mcp.json', precedence: 10 },
    {
      ...common,
      scope: 'user',
      path: {
        darwin: '~/Library/Application Support/Factory Bridge/mcp.json',
        win32: '<APPDATA|~/AppData/Roaming>/Factory Bridge/mcp.json',
      },
      precedence: 5,
      remark: deprecated(
        'this file belongs to Factory Bridge, which Droid replaced',
        'move the servers to ~/.factory/mcp.json',
      ),
    },
  ],
};
