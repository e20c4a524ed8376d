import type { Client, Place } from '../client.js';
import { devinDialect } from '../dialects/editor-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

const common = {
  format: 'json',
  find: under('mcpServers'),
  dialect: devinDialect,
  expansion: none,
} satisfies Partial<Place>;

export const devinCli: Client = {
  id: 'devin-cli',
  name: 'Devin CLI',
  places: [
    {
      ...common,
      scope: 'user',
      path: {
        darwin: '~/.config/devin/config.json',
        linux: '~/.config/devin/config.json',
        win32: '<APPDATA|~/AppData/Roaming>/devin/config.json',
      },
      precedence: 10,
      install: { key: ['mcpServers'] },
    },
    { ...common, scope: 'project', path: '<project>/.devin/config.json', precedence: 20 },
    { ...common, scope: 'local', path: '<project>/.devin/config.local.json', precedence: 30 },
  ],
};
