import type { Samples } from './sample.js';

export const openWebui: Samples = {
  client: 'open-webui',
  samples: [
    {
      title: 'reads the MCP servers among the connections in the variable',
      files: {},
      env: {
        TOOL_SERVER_CONNECTIONS: JSON.stringify([
          { type: 'openapi', url: 'https://o.example/openapi' },
          {
            type: 'mcp',
            url: 'https://o.example/mcp',
            auth_type: 'bearer',
            key: 'k-1',
            config: { enable: true },
            info: { id: 'team', name: 'Team' },
          },
          { type: 'mcp', url: 'https://o.example/off', config: { enable: false }, info: { id: 'off' } },
          { type: 'mcp', url: 'https://o.example/open', auth_type: 'none', key: 'left over' },
          { type: 'mcp' },
        ]),
      },
      expected: [
        {
          name: 'Team',
          client: 'open-webui',
          scope: 'server',
          source: 'env:TOOL_SERVER_CONNECTIONS',
          transport: 'http',
          state: 'ready',
          url: 'https://o.example/mcp',
          headers: { Authorization: 'Bearer k-1' },
        },
        { name: 'off', transport: 'http', state: 'disabled', enabled: false },
        { name: 'mcp-4', written: { url: 'https://o.example/open' } },
      ],
      problems: ['invalid-entry'],
    },
    {
      title: 'reports a variable that is not JSON',
      files: {},
      env: { TOOL_SERVER_CONNECTIONS: '[{' },
      expected: [],
      problems: ['parse-error'],
    },
    { title: 'reads nothing without the variable', files: {}, expected: [] },
  ],
};
