import type { Client, Place } from '../client.js';
import { windsurfDialect } from '../dialects/editor-dialects.js';
import { dollarFile, envColon, expansion } from '../expansion.js';
import { under } from '../find-entries.js';
import { DISABLED } from '../off-switches.js';

const common = {
  scope: 'user',
  format: 'json',
  find: under('mcpServers'),
  dialect: windsurfDialect,
  expansion: expansion([envColon, dollarFile]),
  precedence: 10,
  off: DISABLED,
} satisfies Partial<Place>;

export const windsurf: Client = {
  id: 'windsurf',
  name: 'Windsurf',
  places: [
    { ...common, path: '~/.codeium/windsurf/mcp_config.json', rank: 8, install: { key: ['mcpServers'] } },
    { ...common, path: '~/.codeium/windsurf-next/mcp_config.json' },
    { ...common, path: '~/.codeium/windsurf-insiders/mcp_config.json' },
    { ...common, path: '~/.codeium/mcp_config.json' },
  ],
};
