import { appData } from '../support/machine.js';
import type { Samples } from './sample.js';

export const factoryDroid: Samples = {
  client: 'factory-droid',
  samples: [
    {
      title: 'gives the user precedence over the project',
      files: {
        '~/.factory/mcp.json': `{
  "mcpServers": {
    "files": { "type": "stdio", "command": "node", "args": ["\${ROOT}/a.js", "$ROOT"], "env": { "K": "\${UNSET}" }, "timeout": 5000 },
    "stream": { "type": "http", "url": "https://stream.example/mcp", "headers": { "X": "\${ROOT}" } },
    "off": { "type": "sse", "url": "https://off.example/sse", "disabled": true },
    "empty": {}
  }
}`,
        '<project>/.factory/mcp.json': '{"mcpServers":{"files":{"command":"other"}}}',
      },
      env: { ROOT: '/r' },
      expected: [
        {
          name: 'files',
          client: 'factory-droid',
          scope: 'user',
          line: 3,
          transport: 'stdio',
          state: 'ready',
          args: ['/r/a.js', '$ROOT'],
          env: { K: '${UNSET}' },
          missing: ['UNSET'],
          timeoutMs: 5000,
          precedence: 20,
        },
        { name: 'stream', transport: 'http', headers: { X: '/r' } },
        { name: 'off', transport: 'sse', state: 'disabled', enabled: false },
        { name: 'files', scope: 'project', command: 'other', state: 'ready', precedence: 10 },
      ],
      problems: ['missing-variable', 'invalid-entry'],
    },
    {
      title: 'reports the file of its predecessor as deprecated',
      platforms: ['darwin', 'win32'],
      files: (platform) => ({
        [appData(platform, 'Factory Bridge/mcp.json')]: '{"mcpServers":{"old":{"command":"old-server"}}}',
      }),
      expected: [{ name: 'old', scope: 'user' }],
      problems: ['deprecated-location'],
    },
    {
      title: 'has no predecessor on Linux',
      platforms: ['linux'],
      files: { '~/.config/Factory Bridge/mcp.json': '{"mcpServers":{"old":{"command":"old-server"}}}' },
      expected: [],
    },
    {
      title: 'reports a secret in the file of a project',
      files: {
        '<project>/.factory/mcp.json': '{"mcpServers":{"own":{"command":"x","env":{"T":"ghp_abcdefghij0123456789"}}}}',
      },
      expected: [{ name: 'own', scope: 'project' }],
      problems: ['secret-in-file'],
    },
  ],
};
