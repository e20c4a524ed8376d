import type { Samples } from './sample.js';

export const amazonQ: Samples = {
  client: 'amazon-q',
  samples: [
    {
      title: 'expands variables of the user file only in env, and reads timeouts in milliseconds',
      files: {
        '~/.aws/amazonq/mcp.json': JSON.stringify({
          mcpServers: {
            local: {
              command: 'uvx',
              args: ['${env:SET}'],
              env: { KEY: '${env:SET}', OTHER: '${env:UNSET}' },
              timeout: 120_000,
            },
            typed: { type: 'stdio', command: 'node', disabled: true },
            web: {
              type: 'http',
              url: 'https://web.example/mcp',
              headers: { 'X-A': '${env:SET}' },
              oauthScopes: ['read', 'write'],
              oauth: { redirectUri: '127.0.0.1:7778' },
            },
            untyped: { url: 'https://untyped.example/mcp' },
            events: { type: 'sse', url: 'https://events.example/sse' },
          },
        }),
      },
      env: { SET: 's' },
      expected: [
        {
          name: 'local',
          client: 'amazon-q',
          scope: 'user',
          state: 'ready',
          precedence: 10,
          args: ['${env:SET}'],
          env: { KEY: 's', OTHER: '${env:UNSET}' },
          timeoutMs: 120_000,
          missing: ['UNSET'],
        },
        { name: 'typed', transport: 'stdio', state: 'disabled', enabled: false },
        {
          name: 'web',
          transport: 'http',
          headers: { 'X-A': '${env:SET}' },
          oauth: { redirectUri: '127.0.0.1:7778', scopes: ['read', 'write'] },
        },
        { name: 'untyped', transport: 'http', state: 'ready' },
        { name: 'events', transport: 'sse', state: 'client-ignores' },
      ],
      problems: ['missing-variable', 'unsupported-transport-for-client'],
    },
    {
      title: 'gives agents precedence over the project, the project over the user, and local agents over global ones',
      files: {
        '~/.aws/amazonq/mcp.json': '{"mcpServers":{"same":{"command":"node","args":["user"]}}}',
        '<project>/.amazonq/mcp.json':
          '{"mcpServers":{"same":{"command":"node","args":["${env:SET}"]},"key":{"command":"node","args":["--key","sk-0123456789abcdefghij0123"]}}}',
        '~/.aws/amazonq/cli-agents/global.json': '{"mcpServers":{"same":{"command":"node","args":["global"]}}}',
        '~/.aws/amazonq/agents/default.json':
          '{"name":"default","useLegacyMcpJson":true,"mcpServers":{"ide":{"command":"node"}}}',
        '~/.aws/amazonq/agents/other.json': '{"mcpServers":{"unread":{"command":"node"}}}',
        '<project>/.amazonq/cli-agents/own.json':
          '{"tools":["@same"],"mcpServers":{"own":{"type":"http","url":"https://${env:SET}.example/mcp"}}}',
      },
      env: { SET: 's' },
      expected: [
        { name: 'same', scope: 'user', precedence: 10, args: ['user'] },
        { name: 'same', scope: 'project', precedence: 20, args: ['s'], state: 'ready' },
        { name: 'key', scope: 'project', state: 'ready' },
        { name: 'same', scope: 'agent', precedence: 30, args: ['global'] },
        { name: 'ide', scope: 'agent', source: '<home>/.aws/amazonq/agents/default.json' },
        { name: 'own', scope: 'agent', url: 'https://s.example/mcp', state: 'ready' },
      ],
      problems: ['secret-in-file'],
    },
  ],
};
