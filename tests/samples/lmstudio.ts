import type { Samples } from './sample.js';

export const lmstudio: Samples = {
  client: 'lmstudio',
  samples: [
    {
      title: 'reads the format of Cursor without expansion',
      files: {
        '~/.lmstudio/mcp.json': JSON.stringify({
          mcpServers: {
            local: { command: 'node', args: ['${env:A}', '${workspaceFolder}'], env: { KEY: '${A}' }, envFile: '.env' },
            web: {
              url: 'https://web.example/mcp',
              headers: { Authorization: 'Bearer ${env:A}' },
              auth: { CLIENT_ID: 'me', scopes: ['read'] },
            },
            events: { type: 'sse', url: 'https://events.example/sse' },
            off: { command: 'node', disabled: true },
          },
        }),
      },
      env: { A: 'a' },
      expected: [
        {
          name: 'local',
          client: 'lmstudio',
          scope: 'user',
          state: 'ready',
          precedence: 10,
          args: ['${env:A}', '${workspaceFolder}'],
          env: { KEY: '${A}' },
          envFile: '.env',
        },
        {
          name: 'web',
          transport: 'auto',
          headers: { Authorization: 'Bearer ${env:A}' },
          oauth: { CLIENT_ID: 'me', scopes: ['read'] },
        },
        { name: 'events', transport: 'sse' },
        { name: 'off', state: 'disabled', enabled: false },
      ],
      problems: ['reference-not-expanded', 'reference-not-expanded'],
    },
    {
      title: 'reads the directory of old versions with lower precedence, and reports that it moved',
      files: {
        '~/.lmstudio/mcp.json': '{"mcpServers":{"same":{"command":"node","args":["new"]}}}',
        '~/.cache/lm-studio/mcp.json': '{"mcpServers":{"same":{"command":"node","args":["old"]}}}',
      },
      expected: [
        { name: 'same', scope: 'user', precedence: 10, args: ['new'] },
        { name: 'same', scope: 'user', precedence: 9, args: ['old'], source: '<home>/.cache/lm-studio/mcp.json' },
      ],
      problems: ['deprecated-location'],
    },
    {
      title: 'reports no problem for an old directory without servers',
      files: { '~/.cache/lm-studio/mcp.json': '{"mcpServers":{}}' },
      expected: [],
    },
  ],
};
