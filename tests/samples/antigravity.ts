import type { Samples } from './sample.js';

export const antigravity: Samples = {
  client: 'antigravity',
  samples: [
    {
      title: 'prefers the URL over a command, and expands no value',
      files: {
        '~/.gemini/config/mcp_config.json': JSON.stringify({
          mcpServers: {
            local: { command: 'node', args: ['${HOME}'], env: { A: '$A' }, cwd: '/srv', disabledTools: ['remove'] },
            remote: {
              serverUrl: 'https://remote.example/mcp',
              headers: { 'X-A': '${env:A}' },
              authProviderType: 'any',
            },
            spelled: { url: 'https://spelled.example/mcp' },
            twice: { serverUrl: 'https://first.example/mcp', url: 'https://second.example/mcp' },
            both: { command: 'node', serverUrl: 'https://both.example/mcp' },
            'both-too': { command: 'node', url: 'https://both.example/mcp' },
            off: { command: 'node', disabled: true },
          },
        }),
      },
      env: { HOME: '/nowhere', A: 'a' },
      expected: [
        {
          name: 'local',
          client: 'antigravity',
          scope: 'user',
          transport: 'stdio',
          state: 'ready',
          precedence: 20,
          args: ['${HOME}'],
          env: { A: '$A' },
          cwd: '/srv',
          tools: { deny: ['remove'] },
        },
        { name: 'remote', transport: 'auto', headers: { 'X-A': '${env:A}' }, state: 'ready' },
        { name: 'spelled', transport: 'auto', url: 'https://spelled.example/mcp' },
        { name: 'twice', url: 'https://first.example/mcp' },
        { name: 'both', transport: 'auto', url: 'https://both.example/mcp' },
        { name: 'both-too', transport: 'auto', url: 'https://both.example/mcp' },
        { name: 'off', state: 'disabled', enabled: false },
      ],
      problems: ['reference-not-expanded', 'reference-not-expanded', 'ambiguous-entry', 'ambiguous-entry'],
    },
    {
      title: 'reads the file of the first version with lower, and four project directories with higher precedence',
      files: {
        '~/.gemini/config/mcp_config.json': '{"mcpServers":{"same":{"command":"node","args":["2"]}}}',
        '~/.gemini/antigravity/mcp_config.json': '{"mcpServers":{"same":{"command":"node","args":["1"]}}}',
        '<project>/.agents/mcp_config.json': '{"mcpServers":{"same":{"command":"node","args":["3"]}}}',
        '<project>/.agent/mcp_config.json': '{"mcpServers":{"b":{"command":"node"}}}',
        '<project>/_agents/mcp_config.json': '{"mcpServers":{"c":{"command":"node"}}}',
        '<project>/_agent/mcp_config.json': '{"mcpServers":{"d":{"command":"node"}}}',
      },
      expected: [
        { name: 'same', scope: 'user', precedence: 20, args: ['2'] },
        { name: 'same', scope: 'user', precedence: 10, args: ['1'] },
        { name: 'same', scope: 'project', precedence: 30, args: ['3'] },
        { name: 'b', scope: 'project', source: '<project>/.agent/mcp_config.json' },
        { name: 'c', scope: 'project', source: '<project>/_agents/mcp_config.json' },
        { name: 'd', scope: 'project', source: '<project>/_agent/mcp_config.json' },
      ],
    },
    {
      title: 'skips only an invalid entry',
      files: {
        '~/.gemini/config/mcp_config.json':
          '{"mcpServers":{"bad":{"serverUrl":7},"list":["node"],"good":{"serverUrl":"https://good.example/mcp"}}}',
      },
      expected: [{ name: 'good', state: 'ready' }],
      problems: ['invalid-entry', 'invalid-entry'],
    },
  ],
};
