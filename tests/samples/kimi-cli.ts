import type { Samples } from './sample.js';

export const kimiCli: Samples = {
  client: 'kimi-cli',
  samples: [
    {
      title: 'gives the newer file precedence over the older one',
      files: {
        '~/.kimi/mcp.json': `{
  "mcpServers": {
    "files": { "command": "node", "args": ["server.js", 8], "env": { "DEBUG": 1, "UNSET": null }, "cwd": "/srv" },
    "shared": { "command": "old" }
  }
}`,
        '~/.kimi-code/mcp.json': '{"mcpServers":{"shared":{"command":"new"}}}',
      },
      expected: [
        {
          name: 'files',
          client: 'kimi-cli',
          scope: 'user',
          source: '<home>/.kimi/mcp.json',
          line: 3,
          transport: 'stdio',
          state: 'ready',
          command: 'node',
          args: ['server.js', '8'],
          env: { DEBUG: '1' },
          cwd: '/srv',
        },
        { name: 'shared', command: 'old', line: 4, precedence: 10 },
        { name: 'shared', command: 'new', source: '<home>/.kimi-code/mcp.json', precedence: 10.0001 },
      ],
    },
    {
      title: 'accepts the types of Claude Code, and reports a missing one',
      files: {
        '~/.kimi/mcp.json': JSON.stringify({
          mcpServers: {
            plain: {
              type: 'http',
              url: 'https://a.example/mcp',
              headers: { Authorization: 'Bearer t' },
              timeout: 5000,
            },
            events: { type: 'sse', url: 'https://a.example/sse', timeout: 999 },
            socket: { type: 'ws', url: 'wss://a.example/ws' },
            untyped: { url: 'https://a.example/mcp' },
            inside: { type: 'sdk', name: 'inside' },
            off: { command: 'node', disabled: true },
          },
        }),
      },
      expected: [
        { name: 'plain', transport: 'http', headers: { Authorization: 'Bearer t' }, timeoutMs: 5000 },
        { name: 'events', transport: 'sse', state: 'ready' },
        { name: 'socket', transport: 'ws' },
        { name: 'untyped', transport: 'auto', state: 'ready' },
        { name: 'inside', transport: 'sdk', state: 'client-ignores' },
        { name: 'off', state: 'disabled', enabled: false },
      ],
      problems: ['url-without-type'],
    },
  ],
};
