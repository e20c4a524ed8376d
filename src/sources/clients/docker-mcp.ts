import type { Client } from '../client.js';
import { inventoryDialect } from '../dialects/app-dialects.js';
import { none } from '../expansion.js';
import { at, isFields } from '../fields.js';
import { type Finder, membersOf } from '../find-entries.js';

/** The enabled server names; their definitions are in the gateway's own catalogues. */
const registered: Finder = (root) => {
  const registry = at(root, 'registry');
  const named = isFields(registry) ? Object.fromEntries(Object.keys(registry).map((name) => [name, {}])) : registry;
  return membersOf(named, ['registry']);
};

export const dockerMcp: Client = {
  id: 'docker-mcp',
  name: 'Docker MCP Toolkit',
  places: [
    {
      scope: 'user',
      path: '~/.docker/mcp/registry.yaml',
      format: 'yaml',
      find: registered,
      dialect: inventoryDialect,
      expansion: none,
      precedence: 0,
    },
  ],
};
