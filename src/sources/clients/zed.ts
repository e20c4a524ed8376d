import type { Client, Place } from '../client.js';
import { zedDialect } from '../dialects/editor-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';
import { NOT_ENABLED } from '../off-switches.js';

const common = {
  format: 'json',
  find: under('context_servers'),
  dialect: zedDialect,
  expansion: none,
  off: NOT_ENABLED,
} satisfies Partial<Place>;

export const zed: Client = {
  id: 'zed',
  name: 'Zed',
  places: [
    {
      ...common,
      scope: 'user',
      path: {
        darwin: '~/.config/zed/settings.json',
        linux: '<FLATPAK_XDG_CONFIG_HOME/zed|XDG_CONFIG_HOME/zed|~/.config/zed>/settings.json',
        win32: '<APPDATA|~/AppData/Roaming>/Zed/settings.json',
      },
      precedence: 10,
      install: { key: ['context_servers'], entry: (program) => ({ source: 'custom', ...program }) },
    },
    // The trusted worktrees are stored in a database of the editor.
    { ...common, scope: 'project', path: '<project>/.zed/settings.json', precedence: 20, state: 'pending-approval' },
  ],
};
