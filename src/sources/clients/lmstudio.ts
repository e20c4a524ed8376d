import type { Client, Place } from '../client.js';
import { deprecated } from '../common-places.js';
import { cursorDialect } from '../dialects/editor-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

const common = {
  scope: 'user',
  format: 'json',
  find: under('mcpServers'),
  dialect: cursorDialect,
  expansion: none,
} satisfies Partial<Place>;

export const lmstudio: Client = {
  id: 'lmstudio',
  name: 'LM Studio',
  places: [
    { ...common, path: '~/.lmstudio/mcp.json', precedence: 10, install: { key: ['mcpServers'] } },
    {
      ...common,
      path: '~/.cache/lm-studio/mcp.json',
      precedence: 9,
      remark: deprecated(
        'only old versions of LM Studio read this directory',
        'move the servers to ~/.lmstudio/mcp.json',
      ),
    },
  ],
};
