import type { Client } from '../client.js';
import type { Dialect } from '../dialect.js';
import { claudeDesktopDialect, claudeDialect } from '../dialects/claude-dialects.js';
import { none } from '../expansion.js';
import { under } from '../find-entries.js';
import type { Paths } from '../path-template.js';

/** A client with one JSON file of the user, with `mcpServers` in the notation of Claude and no variables. */
function oneFile(id: string, name: string, path: Paths, dialect: Dialect): Client {
  const install = { key: ['mcpServers'] };
  return {
    id,
    name,
    places: [
      {
        scope: 'user',
        path,
        format: 'json',
        find: under('mcpServers'),
        dialect,
        expansion: none,
        precedence: 10,
        install,
      },
    ],
  };
}

export const abacus = oneFile('abacus', 'Abacus.AI', '~/.abacusai/mcp.json', claudeDialect);
export const kimiCli = oneFile('kimi-cli', 'Kimi CLI', ['~/.kimi/mcp.json', '~/.kimi-code/mcp.json'], claudeDialect);
export const qoder = oneFile('qoder', 'Qoder', '~/.qoder/mcp.json', claudeDialect);
export const sema4 = oneFile('sema4', 'Sema4.ai Studio', '~/.sema4ai/sema4ai-studio/mcp_servers.json', claudeDialect);
export const boltai = oneFile('boltai', 'BoltAI', { darwin: '~/.boltai/mcp.json' }, claudeDesktopDialect);
export const enconvo = oneFile(
  'enconvo',
  'Enconvo',
  { darwin: '~/.config/enconvo/mcp_config.json' },
  claudeDesktopDialect,
);
export const tome = oneFile('tome', 'Tome', '~/.tome/mcp_config.json', claudeDesktopDialect);
