import type { Samples } from './sample.js';

export const nanobot: Samples = {
  client: 'nanobot',
  samples: [
    {
      title: 'reads the servers under tools, and no other key',
      files: {
        '~/.nanobot/config.json': `{
  "agents": { "defaults": { "model": "m" } },
  "mcpServers": { "elsewhere": { "command": "node" } },
  "tools": {
    "mcpServers": {
      "local": { "command": "node", "args": ["a.js"] },
      "remote": { "type": "http", "url": "https://n.example/mcp" }
    }
  }
}`,
      },
      expected: [
        {
          name: 'local',
          client: 'nanobot',
          scope: 'user',
          line: 6,
          transport: 'stdio',
          state: 'ready',
          args: ['a.js'],
        },
        { name: 'remote', line: 7, transport: 'http', state: 'ready' },
      ],
    },
    {
      title: 'reports servers that are not a map',
      files: { '~/.nanobot/config.json': '{"tools":{"mcpServers":"none"}}' },
      expected: [],
      problems: ['invalid-entry'],
    },
  ],
};
