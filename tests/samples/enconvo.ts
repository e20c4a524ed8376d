import type { Samples } from './sample.js';

export const enconvo: Samples = {
  client: 'enconvo',
  samples: [
    {
      title: 'reads programs, and skips servers that Enconvo cannot connect to',
      platforms: ['darwin'],
      files: {
        '~/.config/enconvo/mcp_config.json': `{
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
          client: 'enconvo',
          scope: 'user',
          source: '<home>/.config/enconvo/mcp_config.json',
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
      title: 'is absent on other platforms than macOS',
      platforms: ['linux', 'win32'],
      files: { '~/.config/enconvo/mcp_config.json': '{"mcpServers":{"notes":{"command":"uvx"}}}' },
      expected: [],
    },
  ],
};
