import type { Platform } from '../support/machine.js';
import type { Samples } from './sample.js';

const MANAGED: Readonly<Record<Platform, string>> = {
  darwin: '/Library/Application Support/Portolan/managed-mcp.json',
  linux: '/etc/portolan/managed-mcp.json',
  win32: '/ProgramData/Portolan/managed-mcp.json',
};

export const portolan: Samples = {
  client: 'portolan',
  samples: [
    {
      title: 'reads servers of the user as ready, with references in the syntax of Claude Code',
      files: {
        '~/.config/portolan/servers.json': `{
  // mine
  "mcpServers": {
    "files": { "command": "node", "args": ["\${FILES:-files.js}"], "env": { "TOKEN": "\${TOKEN}" } },
    "search": { "type": "http", "url": "https://s.example/mcp", "headers": { "X-Team": "a" } },
  },
}`,
      },
      env: { TOKEN: 't' },
      expected: [
        {
          name: 'files',
          client: 'portolan',
          scope: 'user',
          source: '<home>/.config/portolan/servers.json',
          line: 4,
          state: 'ready',
          args: ['files.js'],
          env: { TOKEN: 't' },
          written: { command: 'node', args: ['${FILES:-files.js}'], env: { TOKEN: '${TOKEN}' } },
        },
        { name: 'search', line: 5, transport: 'http', state: 'ready', headers: { 'X-Team': 'a' } },
      ],
    },
    {
      title: 'reads the directory in XDG_CONFIG_HOME',
      files: { '~/elsewhere/portolan/servers.json': '{"mcpServers":{"moved":{"command":"moved"}}}' },
      env: { XDG_CONFIG_HOME: '<home>/elsewhere' },
      expected: [{ name: 'moved', source: '<home>/elsewhere/portolan/servers.json', state: 'ready' }],
    },
    {
      title: 'reads the managed file',
      files: (platform) => ({ [MANAGED[platform]]: '{"mcpServers":{"given":{"command":"given"}}}' }),
      expected: (platform) => [
        { name: 'given', scope: 'managed', source: `<root>${MANAGED[platform]}`, precedence: 100, state: 'ready' },
      ],
    },
  ],
};
