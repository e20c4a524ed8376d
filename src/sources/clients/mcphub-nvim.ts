import { variable } from '../../model/index.js';
import type { Client, Place } from '../client.js';
import { mcphubDialect } from '../dialects/app-dialects.js';
import { bare, braced, editorFolders, envColon, expansion, input, type Rule } from '../expansion.js';
import { isFields } from '../fields.js';
import { type Finder, firstOf, under } from '../find-entries.js';
import { DISABLED } from '../off-switches.js';

/** `${cmd: …}` and `$: …`: commands that the client runs and Portolan does not. */
const command: Rule = { pattern: String.raw`\$\{cmd:([^{}]*)\}`, meaning: (text) => ({ kind: 'command', text }) };
const olderCommand: Rule = { pattern: String.raw`^\$: ?(.+)$`, meaning: (text) => ({ kind: 'command', text }) };
/** `$VAR`, which is expanded only if it is the whole value. */
const olderVariable: Rule = { ...bare, pattern: `^${bare.pattern}$` };

/** Adds values that the editor provides for all entries, with and without the prefix `input:`. */
const servers: Finder = (root, file) => {
  const found = firstOf(under('servers'), under('mcpServers'))(root, file);
  const shared = variable(file.host, 'MCP_HUB_ENV');
  if (!shared) return found;
  const variables = sharedValues(shared);
  return { ...found, entries: found.entries.map((entry) => ({ ...entry, variables })) };
};

function sharedValues(text: string): Record<string, string> {
  try {
    const value: unknown = JSON.parse(text);
    const pairs = isFields(value) ? Object.entries(value) : [];
    const values = Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
    const inputs = Object.entries(values).map(([name, value]) => [`input:${name}`, value]);
    return { ...Object.fromEntries(inputs), ...values };
  } catch {
    return {}; // a malformed list is ignored; its values are then reported as missing
  }
}

const common = {
  format: 'json5',
  find: servers,
  dialect: mcphubDialect,
  expansion: expansion([command, olderCommand, envColon, input, editorFolders, braced, olderVariable], {
    unset: 'fail',
    fields: ['command', 'args', 'env', 'cwd', 'url', 'headers'],
  }),
  off: DISABLED,
} satisfies Partial<Place>;

export const mcphubNvim: Client = {
  id: 'mcphub-nvim',
  name: 'mcphub.nvim',
  places: [
    {
      ...common,
      scope: 'user',
      path: '~/.config/mcphub/servers.json',
      precedence: 10,
      install: { key: ['mcpServers'], otherKeys: [['servers']] },
    },
    {
      ...common,
      scope: 'project',
      path: '<worktree>/{.mcphub/servers.json,.vscode/mcp.json,.cursor/mcp.json}',
      precedence: 20,
      firstOnly: true,
    },
  ],
};
