import type { Samples } from './sample.js';

export const junie: Samples = {
  client: 'junie',
  samples: [
    {
      title: 'starts programs with values as they are written, and passes over what is no program',
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
      title: 'reads the project above the user, without asking before a server starts',
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
