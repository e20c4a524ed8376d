import type { Client, Place } from '../client.js';
import { systemFile } from '../common-places.js';
import type { Dialect } from '../dialect.js';
import { claudeDialect } from '../dialects/claude-dialects.js';
import { under } from '../find-entries.js';
import { ownExpansion } from '../own-entry.js';

/** As in Claude Code, except that a URL without a type is valid. */
const ownDialect: Dialect = (entry) => {
  const draft = claudeDialect(entry);
  return draft && { ...draft, problems: draft.problems.filter(({ code }) => code !== 'url-without-type') };
};

const common = {
  format: 'json',
  find: under('mcpServers'),
  dialect: ownDialect,
  expansion: ownExpansion,
} satisfies Partial<Place>;

/** Servers configured for Portolan itself, by a person or by the administrator. */
export const portolan: Client = {
  id: 'portolan',
  name: 'Portolan',
  places: [
    {
      ...common,
      scope: 'user',
      path: '<XDG_CONFIG_HOME|~/.config>/portolan/servers.json',
      precedence: 10,
      install: { key: ['mcpServers'] },
    },
    {
      ...common,
      scope: 'managed',
      path: systemFile(
        '/Library/Application Support/Portolan/managed-mcp.json',
        '/etc/portolan/managed-mcp.json',
        'Portolan/managed-mcp.json',
      ),
      precedence: 100,
      exclusive: true,
    },
  ],
};
