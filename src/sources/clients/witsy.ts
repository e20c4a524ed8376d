import type { Client } from '../client.js';
import { applicationData } from '../common-places.js';
import { witsyDialect } from '../dialects/app-dialects.js';
import { none } from '../expansion.js';
import { at, isFields } from '../fields.js';
import { allOf, type Finder, under } from '../find-entries.js';

/** Witsy's own list uses ids instead of names. */
const ownList: Finder = (root, file) => {
  const servers = at(root, 'mcp', 'servers');
  if (!Array.isArray(servers)) return under('mcp', 'servers')(root, file);
  const named = servers.map((server: unknown) =>
    isFields(server) ? { id: server.label ?? server.title ?? server.registryId ?? server.uuid, ...server } : server,
  );
  return under('mcp', 'servers')({ mcp: { servers: named } }, file);
};

export const witsy: Client = {
  id: 'witsy',
  name: 'Witsy',
  places: [
    {
      scope: 'user',
      path: applicationData('Witsy/settings.json'),
      format: 'json',
      find: allOf(under('mcpServers'), ownList),
      dialect: witsyDialect,
      expansion: none,
      precedence: 10,
      install: { key: ['mcpServers'] },
    },
  ],
};
