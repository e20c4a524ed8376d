import { basename } from 'node:path';
import type { Client } from '../client.js';
import { inventoryDialect } from '../dialects/app-dialects.js';
import { none } from '../expansion.js';
import { at, isFields } from '../fields.js';
import { type Finder, single } from '../find-entries.js';

/** One file per server, which runs in a container. */
const runConfig: Finder = (root, { source }) => {
  if (!isFields(root)) return { entries: [], problems: [] };
  const name = at(root, 'name');
  const url = at(root, 'remote_url');
  const named = typeof name === 'string' && name !== '' ? name : basename(source).replace(/\.json$/, '');
  return single(named, typeof url === 'string' ? { url } : {}, ['name']);
};

export const toolhive: Client = {
  id: 'toolhive',
  name: 'ToolHive',
  places: [
    {
      scope: 'user',
      path: {
        linux: '<XDG_STATE_HOME|~/.local/state>/toolhive/runconfigs/*.json',
        darwin: [
          '<XDG_STATE_HOME|~/Library/Application Support>/toolhive/runconfigs/*.json',
          '<XDG_STATE_HOME|~/.local/state>/toolhive/runconfigs/*.json',
        ],
        win32: [
          '<XDG_STATE_HOME|LOCALAPPDATA|~/AppData/Local>/toolhive/runconfigs/*.json',
          '<XDG_STATE_HOME|~/.local/state>/toolhive/runconfigs/*.json',
        ],
      },
      format: 'json',
      find: runConfig,
      dialect: inventoryDialect,
      expansion: none,
      precedence: 0,
    },
  ],
};
