import { appData } from '../support/machine.js';
import type { Samples } from './sample.js';

export const vscodeInsiders: Samples = {
  client: 'vscode-insiders',
  samples: [
    {
      title: 'reads its own user directory and profiles, but not those of the stable build and not the project',
      files: (platform) => ({
        [appData(platform, 'Code - Insiders/User/mcp.json')]: `{
  "inputs": [{ "type": "command", "id": "where", "command": "extension.where" }],
  "servers": {
    "fresh": { "command": "node", "args": ["\${workspaceFolderBasename}", "\${env:FRESH}"] },
    "asks": { "url": "https://asks.example/\${input:where}" }, // http without saying so
  },
}`,
        [appData(platform, 'Code - Insiders/User/profiles/work/mcp.json')]: '{"servers":{"work":{"command":"node"}}}',
        [appData(platform, 'Code/User/mcp.json')]: '{"servers":{"stable":{"command":"node"}}}',
        '<project>/.vscode/mcp.json': '{"servers":{"own":{"command":"node"}}}',
      }),
      env: { FRESH: 'f' },
      expected: [
        {
          name: 'fresh',
          client: 'vscode-insiders',
          scope: 'user',
          state: 'ready',
          precedence: 20,
          line: 4,
          args: ['project', 'f'],
        },
        { name: 'asks', transport: 'http', state: 'needs-input', inputs: [{ id: 'where', type: 'command' }] },
        { name: 'work', scope: 'profile', state: 'ready', precedence: 20 },
      ],
    },
    {
      title: 'does not read mcpServers',
      files: (platform) => ({
        [appData(platform, 'Code - Insiders/User/mcp.json')]: '{"mcpServers":{"lost":{"command":"node"}}}',
      }),
      expected: [{ name: 'lost', state: 'client-ignores' }],
      problems: ['wrong-key'],
    },
    {
      title: 'reads the directory of a portable editor',
      files: { '~/portable/user-data/User/mcp.json': '{"servers":{"carried":{"command":"node"}}}' },
      env: { VSCODE_PORTABLE: '<home>/portable' },
      expected: [{ name: 'carried', client: 'vscode-insiders', scope: 'user' }],
    },
    {
      title: 'reads the user file of the remote host',
      platforms: ['linux'],
      files: { '~/.vscode-server-insiders/data/User/mcp.json': '{"servers":{"remote":{"command":"node"}}}' },
      expected: [{ name: 'remote', scope: 'user', state: 'ready', precedence: 20 }],
    },
  ],
};
