import type { Samples } from './sample.js';

export const junie: Samples = {
  client: 'junie',
  samples: [
    {
      title: 'reads programs without expansion, and skips other entries',
      files: {
        '~/.junie/mcp/mcp.json': JSON.stringify({
          mcpServers: {
            local: { command: 'node', args: ['${HOME}', '$A'], env: { KEY: '${env:A}', PORT: 80 } },
            remote: { url: 'https://remote.example/mcp' },
          },
        }),
      },
      env: { HOME: '/nowhere', A: 'a' },
      expected: [
        {
          name: 'local',
          client: 'junie',
          scope: 'user',
          transport: 'stdio',
          state: 'ready',
          precedence: 10,
          args: ['${HOME}', '$A'],
          env: { KEY: '${env:A}', PORT: '80' },
        },
        { name: 'remote', state: 'client-ignores' },
      ],
      problems: ['reference-not-expanded', 'unsupported-transport-for-client'],
    },
    {
      title: 'gives the project precedence over the user, without approval by the client',
      files: {
        '~/.junie/mcp/mcp.json': '{"mcpServers":{"same":{"command":"node","args":["user"]}}}',
        '<project>/.junie/mcp/mcp.json': '{"mcpServers":{"same":{"command":"node","args":["project"]}}}',
      },
      expected: [
        { name: 'same', scope: 'user', precedence: 10, args: ['user'] },
        { name: 'same', scope: 'project', precedence: 20, args: ['project'], state: 'ready' },
      ],
    },
  ],
};
