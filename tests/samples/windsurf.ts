import type { Samples } from './sample.js';

export const windsurf: Samples = {
  client: 'windsurf',
  samples: [
    {
      title: 'prefers serverUrl over url, and reads variables and files in values, flags and disabled tools',
      files: {
        '~/.codeium/windsurf/mcp_config.json': JSON.stringify({
          mcpServers: {
            local: {
              command: '${env:RUNNER}',
              args: ['--key', '${file:~/keys/local}'],
              env: { STAGE: '${env:STAGE}', PORT: 80 },
              cwd: '${env:RUNNER}',
              disabledTools: ['remove', 'rename'],
              alwaysAllow: ['read'],
            },
            both: { serverUrl: 'https://first.example/mcp', url: 'https://second.example/mcp' },
            url: { url: 'https://${env:HOST}/mcp', headers: { Authorization: 'Bearer ${file:keys/none}' } },
            off: { command: 'node', disabled: true },
            on: { command: 'node', disabled: false },
          },
        }),
        '~/keys/local': 'k-1\n',
      },
      env: { RUNNER: 'node', HOST: 'host.example' },
      expected: [
        {
          name: 'local',
          client: 'windsurf',
          scope: 'user',
          state: 'ready',
          precedence: 10,
          command: 'node',
          args: ['--key', 'k-1'],
          env: { STAGE: '${env:STAGE}', PORT: '80' },
          // Variables are not expanded in this field.
          cwd: '${env:RUNNER}',
          tools: { deny: ['remove', 'rename'] },
          missing: ['STAGE'],
          written: { command: '${env:RUNNER}', args: ['--key', '${file:~/keys/local}'] },
        },
        { name: 'both', transport: 'auto', url: 'https://first.example/mcp' },
        {
          name: 'url',
          transport: 'auto',
          url: 'https://host.example/mcp',
          headers: { Authorization: 'Bearer ${file:keys/none}' },
          missing: ['file:keys/none'],
        },
        { name: 'off', state: 'disabled', enabled: false },
        { name: 'on', state: 'ready', enabled: true },
      ],
      problems: ['missing-variable', 'missing-variable'],
    },
    {
      title: 'reads the files of its other builds and of its JetBrains plugin',
      files: {
        '~/.codeium/mcp_config.json': '{"mcpServers":{"jetbrains":{"command":"node"}}}',
        '~/.codeium/windsurf-next/mcp_config.json': '{"mcpServers":{"next":{"command":"node"}}}',
        '~/.codeium/windsurf-insiders/mcp_config.json': '{"mcpServers":{"insiders":{"command":"node"}}}',
      },
      expected: [
        { name: 'next', scope: 'user', precedence: 10 },
        { name: 'insiders', scope: 'user', precedence: 10 },
        { name: 'jetbrains', scope: 'user', precedence: 10, source: '<home>/.codeium/mcp_config.json' },
      ],
    },
  ],
};
