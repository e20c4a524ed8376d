import type { Samples } from './sample.js';

export const sema4: Samples = {
  client: 'sema4',
  samples: [
    {
      title: 'reads programs and URLs',
      files: {
        '~/.sema4ai/sema4ai-studio/mcp_servers.json': JSON.stringify(
          {
            mcpServers: {
              actions: { command: '/opt/actions/server', args: ['--port', '0'], cwd: '/opt/actions' },
              remote: { type: 'sse', url: 'http://localhost:8080/sse', timeout: 30000 },
            },
          },
          undefined,
          2,
        ),
      },
      expected: [
        {
          name: 'actions',
          client: 'sema4',
          scope: 'user',
          line: 3,
          transport: 'stdio',
          state: 'ready',
          command: '/opt/actions/server',
          args: ['--port', '0'],
          cwd: '/opt/actions',
        },
        { name: 'remote', line: 11, transport: 'sse', url: 'http://localhost:8080/sse', timeoutMs: 30000 },
      ],
    },
  ],
};
