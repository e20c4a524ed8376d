import type { Samples } from './sample.js';

const FILE = '~/Library/Application Support/com.raycast.macos/extensions/mcp/mcp-config.json';

export const raycast: Samples = {
  client: 'raycast',
  samples: [
    {
      title: 'reads the file of the community extension, and skips servers that it cannot connect to',
      platforms: ['darwin'],
      files: {
        [FILE]: `{
  "mcpServers": {
    "notes": { "command": "uvx", "args": ["server-notes"] },
    "remote": { "url": "https://r.example/mcp" }
  }
}`,
      },
      expected: [
        {
          name: 'notes',
          client: 'raycast',
          scope: 'user',
          source: FILE.replace('~', '<home>'),
          line: 3,
          transport: 'stdio',
          state: 'ready',
          args: ['server-notes'],
        },
        { name: 'remote', line: 4, transport: 'auto', state: 'client-ignores' },
      ],
      problems: ['unsupported-transport-for-client'],
    },
    {
      title: 'is absent on other platforms than macOS',
      platforms: ['linux', 'win32'],
      files: { [FILE]: '{"mcpServers":{"notes":{"command":"uvx"}}}' },
      expected: [],
    },
  ],
};
