import type { Samples } from './sample.js';

export const warp: Samples = {
  client: 'warp',
  samples: [
    {
      title: 'reads working_directory and asks for what stands in double braces',
      files: {
        '~/.warp/.mcp.json': JSON.stringify({
          mcpServers: {
            local: {
              command: 'node',
              args: ['${HOME}', '$A'],
              working_directory: '/srv',
              cwd: '/elsewhere',
              description: 'Does local things',
            },
            asks: { command: 'node', env: { KEY: '{{API_KEY}}' } },
            web: { url: 'https://web.example/mcp', headers: { Authorization: 'Bearer {{ TOKEN }}' } },
            plain: { url: 'https://plain.example/mcp' },
          },
        }),
      },
      env: { HOME: '/nowhere', A: 'a', API_KEY: 'not looked at' },
      expected: [
        {
          name: 'local',
          client: 'warp',
          scope: 'user',
          transport: 'stdio',
          state: 'ready',
          precedence: 10,
          args: ['${HOME}', '$A'],
          cwd: '/srv',
          description: 'Does local things',
        },
        { name: 'asks', state: 'needs-input', env: { KEY: '{{API_KEY}}' }, inputs: [{ id: 'API_KEY' }] },
        { name: 'web', transport: 'auto', state: 'needs-input', inputs: [{ id: 'TOKEN' }] },
        { name: 'plain', transport: 'auto', state: 'ready' },
      ],
    },
    ...[
      ['servers', '{"servers":{"one":{"command":"node"}}}'],
      ['mcp_servers', '{"mcp_servers":{"one":{"command":"node"}}}'],
      ['mcp.servers', '{"mcp":{"servers":{"one":{"command":"node"}}}}'],
    ].map(([key = '', text = '']) => ({
      title: `reads servers under ${key} too`,
      files: { '~/.warp/.mcp.json': text },
      expected: [{ name: 'one', scope: 'user' as const, state: 'ready' as const }],
    })),
    {
      title: 'takes no map without one of its keys for servers',
      files: { '~/.warp/.mcp.json': '{"one":{"command":"node"}}' },
      expected: [],
    },
    {
      title: 'leaves what a project brings until someone starts it',
      files: {
        '~/.warp/.mcp.json': '{"mcpServers":{"same":{"command":"node","args":["user"]}}}',
        '<project>/.warp/.mcp.json': '{"mcpServers":{"same":{"command":"node","args":["project"]}}}',
      },
      expected: [
        { name: 'same', scope: 'user', precedence: 10, state: 'ready', args: ['user'] },
        {
          name: 'same',
          scope: 'project',
          precedence: 20,
          state: 'pending-approval',
          args: ['project'],
          source: '<project>/.warp/.mcp.json',
        },
      ],
    },
    {
      title: 'looks for the project at the top of its repository',
      files: {
        '<project>/../.git/HEAD': 'ref: refs/heads/main\n',
        '<project>/../.warp/.mcp.json': '{"mcpServers":{"top":{"command":"node"}}}',
        '<project>/.warp/.mcp.json': '{"mcpServers":{"below":{"command":"node"}}}',
      },
      expected: [{ name: 'top', scope: 'project', state: 'pending-approval' }],
    },
    {
      title: 'does not read the files of other programs, which is off unless someone switched it on',
      files: {
        '<project>/.mcp.json': '{"mcpServers":{"theirs":{"command":"node"}}}',
        '~/.agents/.mcp.json': '{"mcpServers":{"theirs":{"command":"node"}}}',
      },
      expected: [],
    },
  ],
};
