import type { Samples } from './sample.js';

export const warp: Samples = {
  client: 'warp',
  samples: [
    {
      title: 'reads working_directory, and needs input for values in double braces',
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
      title: `also reads servers under ${key}`,
      files: { '~/.warp/.mcp.json': text },
      expected: [{ name: 'one', scope: 'user' as const, state: 'ready' as const }],
    })),
    {
      title: 'ignores a map without one of its keys',
      files: { '~/.warp/.mcp.json': '{"one":{"command":"node"}}' },
      expected: [],
    },
    {
      title: 'marks servers of a project as pending until the user starts them',
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
      title: 'reads the project at the root of its repository',
      files: {
        '<project>/../.git/HEAD': 'ref: refs/heads/main\n',
        '<project>/../.warp/.mcp.json': '{"mcpServers":{"top":{"command":"node"}}}',
        '<project>/.warp/.mcp.json': '{"mcpServers":{"below":{"command":"node"}}}',
      },
      expected: [{ name: 'top', scope: 'project', state: 'pending-approval' }],
    },
    {
      title: 'does not read the files of other programs, which is disabled by default',
      files: {
        '<project>/.mcp.json': '{"mcpServers":{"theirs":{"command":"node"}}}',
        '~/.agents/.mcp.json': '{"mcpServers":{"theirs":{"command":"node"}}}',
      },
      expected: [],
    },
  ],
};
