import type { Samples } from './sample.js';

export const abacus: Samples = {
  client: 'abacus',
  samples: [
    {
      title: 'reads programs and URLs with all fields of Claude Code',
      files: {
        '~/.abacusai/mcp.json': `{
  "mcpServers": {
    "local": { "command": "docker", "args": ["run", "-i", "--rm", "acme/server"], "description": "works beside portolan" },
    "remote": {
      "type": "http",
      "url": "https://ab.example/mcp",
      "headersHelper": "print-headers",
      "oauth": { "clientId": "c-1", "callbackPort": 8080, "scopes": "read write" }
    }
  }
}`,
      },
      expected: [
        {
          name: 'local',
          client: 'abacus',
          scope: 'user',
          line: 3,
          transport: 'stdio',
          description: 'works beside portolan',
        },
        {
          name: 'remote',
          line: 4,
          transport: 'http',
          state: 'ready',
          headersHelper: 'print-headers',
          oauth: { clientId: 'c-1', callbackPort: 8080, scopes: 'read write' },
        },
      ],
    },
    {
      title: 'reports a file with a syntax error',
      files: { '~/.abacusai/mcp.json': '{"mcpServers": {' },
      expected: [],
      problems: ['parse-error'],
    },
  ],
};
