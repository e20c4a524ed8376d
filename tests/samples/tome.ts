import type { Samples } from './sample.js';

export const tome: Samples = {
  client: 'tome',
  samples: [
    {
      title: 'reads programs, and skips servers that Tome cannot connect to',
      files: {
        '~/.tome/mcp_config.json': `{
  "mcpServers": {
    "notes": { "command": "uvx", "args": ["server-notes"], "env": { "LEVEL": "debug" } },
    "remote": { "url": "https://r.example/mcp", "headers": { "X-Team": "a" } },
    "events": { "type": "sse", "url": "https://r.example/sse" },
    "off": { "command": "node", "disabled": true }
  }
}`,
      },
      expected: [
        {
          name: 'notes',
          client: 'tome',
          scope: 'user',
          source: '<home>/.tome/mcp_config.json',
          line: 3,
          transport: 'stdio',
          state: 'ready',
          enabled: true,
          command: 'uvx',
          args: ['server-notes'],
          env: { LEVEL: 'debug' },
        },
        { name: 'remote', line: 4, transport: 'auto', state: 'client-ignores', url: 'https://r.example/mcp' },
        { name: 'events', line: 5, transport: 'sse', state: 'client-ignores' },
        { name: 'off', line: 6, state: 'disabled', enabled: false },
      ],
      problems: ['unsupported-transport-for-client', 'unsupported-transport-for-client'],
    },
    {
      title: 'warns only on Windows about a program that needs cmd /c and does not have it',
      files: {
        '~/.tome/mcp_config.json': JSON.stringify({
          mcpServers: {
            bare: { command: 'npx', args: ['-y', 'server-notes'] },
            wrapped: { command: 'cmd', args: ['/c', 'npx', '-y', 'server-notes'] },
          },
        }),
      },
      expected: [
        { name: 'bare', state: 'ready', command: 'npx', args: ['-y', 'server-notes'] },
        { name: 'wrapped', state: 'ready', command: 'cmd' },
      ],
      problems: (platform) => (platform === 'win32' ? ['windows-npx'] : []),
    },
    {
      title: 'skips Portolan, and marks other gateways',
      files: {
        '~/.tome/mcp_config.json': JSON.stringify({
          mcpServers: {
            Portolan: { command: 'node', args: ['anything.js'] },
            charts: { command: 'bunx', args: ['portolan'] },
            toolkit: { command: 'docker', args: ['mcp', 'gateway', 'run'] },
            files: { command: 'uvx', args: ['server-files', '/src/portolan'], description: 'the portolan sources' },
          },
        }),
      },
      expected: [
        { name: 'toolkit', nestedGateway: 'docker-mcp', state: 'ready' },
        { name: 'files', state: 'ready', args: ['server-files', '/src/portolan'] },
      ],
      problems: ['self-server', 'self-server'],
    },
  ],
};
