import type { Client } from '../client.js';
import { claudeDesktopDialect } from '../dialects/claude-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

/** Raycast's own servers are in a database that only it can read; the community extension has a file. */
export const raycast: Client = {
  id: 'raycast',
  name: 'Raycast',
  places: [
    {
      scope: 'user',
      path: { darwin: '~/Library/Application Support/com.raycast.macos/extensions/*/mcp-config.json' },
      format: 'json',
      find: under('mcpServers'),
      dialect: claudeDesktopDialect,
      expansion: none,
      precedence: 10,
    },
  ],
};
