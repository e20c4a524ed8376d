import type { Samples } from './sample.js';

const OWN = '{"mcpServers":{"own":{"command":"own-server","tools":["*"]}}}';

export const copilotCli: Samples = {
  client: 'copilot-cli',
  samples: [
    {
      title: 'reads the servers of the user and expands variables in env and headers only',
      files: {
        '~/.copilot/mcp-config.json': `{
  "mcpServers": {
    "local": { "type": "local", "command": "node", "args": ["$A", "\${A}"], "cwd": "/srv", "env": { "X": "$A", "Y": "\${B:-b}", "Z": "\${C}" }, "tools": ["*"], "timeout": 45000 },
    "plain": { "command": "$A", "tools": ["read", "list"] },
    "stream": { "type": "http", "url": "https://s.example/$A", "headers": { "K": "Bearer \${A}" }, "oauthClientId": "me" },
    "long": { "type": "streamable-http", "url": "https://l.example/mcp" },
    "events": { "type": "sse", "url": "https://e.example/sse" },
    "odd": { "type": "carrier-pigeon", "command": "x" },
    "last": { "type": "stdio", "command": "last" }
  }
}`,
      },
      env: { A: 'a-1' },
      expected: [
        {
          name: 'local',
          client: 'copilot-cli',
          scope: 'user',
          line: 3,
          transport: 'stdio',
          state: 'ready',
          command: 'node',
          args: ['$A', '${A}'],
          cwd: '/srv',
          env: { X: 'a-1', Y: 'b', Z: '${C}' },
          missing: ['C'],
          timeoutMs: 45_000,
          precedence: 10,
          written: { env: { X: '$A', Y: '${B:-b}', Z: '${C}' } },
        },
        { name: 'plain', transport: 'stdio', command: '$A', tools: { allow: ['read', 'list'] } },
        {
          name: 'stream',
          transport: 'http',
          url: 'https://s.example/$A',
          headers: { K: 'Bearer a-1' },
          oauth: { clientId: 'me' },
        },
        { name: 'long', transport: 'http' },
        { name: 'events', transport: 'sse' },
        { name: 'last', line: 9, transport: 'stdio' },
      ],
      problems: ['missing-variable', 'invalid-entry'],
    },
    {
      title: 'reads COPILOT_HOME',
      files: { '~/moved/mcp-config.json': OWN, '~/.copilot/mcp-config.json': '{"mcpServers":{"x":{"command":"x"}}}' },
      env: { COPILOT_HOME: '<home>/moved' },
      expected: [{ name: 'own', scope: 'user', source: '<home>/moved/mcp-config.json' }],
    },
    {
      title: 'marks servers of an untrusted project as pending, and reads no files of editors',
      files: {
        '<project>/.mcp.json': OWN,
        '<project>/.github/mcp.json': '{"mcpServers":{"hub":{"type":"http","url":"https://hub.example/mcp"}}}',
        '<project>/.vscode/mcp.json': '{"servers":{"x":{"command":"x"}}}',
        '~/.copilot/config.json': '{"trusted_folders":["<project>/below"]}',
      },
      expected: [
        { name: 'hub', scope: 'project', state: 'pending-approval', source: '<project>/.github/mcp.json' },
        { name: 'own', scope: 'project', state: 'pending-approval', source: '<project>/.mcp.json' },
      ],
    },
    {
      title: 'reads servers of a project in a trusted directory',
      files: { '<project>/.mcp.json': OWN, '~/.copilot/config.json': '{"trusted_folders":["<project>"]}' },
      expected: [{ name: 'own', scope: 'project', state: 'ready' }],
    },
    {
      title: 'skips only an invalid file',
      files: { '<project>/.mcp.json': '{"mcpServers":{"a":', '~/.copilot/mcp-config.json': OWN },
      expected: [{ name: 'own', scope: 'user' }],
      problems: ['parse-error'],
    },
  ],
};
