import type { Client, Place } from '../client.js';
import { opencodeGoDialect } from '../dialects/agent-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';

const common = {
  format: 'json',
  find: under('mcpServers'),
  dialect: opencodeGoDialect,
  expansion: none,
} satisfies Partial<Place>;

export const opencodeLegacy: Client = {
  id: 'opencode-legacy',
  name: 'OpenCode (Go)',
  places: [
    {
      ...common,
      scope: 'user',
      path: '~/.opencode.json',
      precedence: 10,
      rank: 7,
      install: { key: ['mcpServers'], entry: (program) => ({ type: 'stdio', ...program }) },
    },
    { ...common, scope: 'user', path: '<XDG_CONFIG_HOME|~/.config>/opencode/.opencode.json', precedence: 10 },
    { ...common, scope: 'project', path: '<project>/.opencode.json', precedence: 20 },
  ],
};
