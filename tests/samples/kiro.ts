import type { Samples } from './sample.js';

export const kiro: Samples = {
  client: 'kiro',
  samples: [
    {
      title: 'treats a URL as http, reads timeouts in milliseconds, and keeps a variable without a value',
      files: {
        '~/.kiro/settings/mcp.json': JSON.stringify({
          mcpServers: {
            local: {
              command: 'uvx',
              args: ['server-local', '${SET}', '${UNSET}'],
              env: { KEY: '${SET}', RETRIES: 2 },
              cwd: '${SET}/work',
              timeout: 45_000,
              autoApprove: ['read'],
              disabledTools: ['remove'],
            },
            web: {
              url: 'https://web.example/${SET}',
              headers: { 'X-A': '${SET}' },
              oauth: { redirectUri: 'http://x/' },
            },
            off: { command: 'node', disabled: true },
            literal: { command: 'node', args: ['$SET', '%SET%'] },
          },
          powers: { mcpServers: { power: { url: 'https://power.example/mcp' } } },
        }),
      },
      env: { SET: 's' },
      expected: [
        {
          name: 'local',
          client: 'kiro',
          scope: 'user',
          state: 'ready',
          precedence: 10,
          args: ['server-local', 's', '${UNSET}'],
          env: { KEY: 's', RETRIES: '2' },
          cwd: 's/work',
          timeoutMs: 45_000,
          tools: { deny: ['remove'] },
          missing: ['UNSET'],
          written: { args: ['server-local', '${SET}', '${UNSET}'], env: { KEY: '${SET}', RETRIES: '2' } },
        },
        {
          name: 'web',
          transport: 'http',
          url: 'https://web.example/s',
          headers: { 'X-A': 's' },
          oauth: { redirectUri: 'http://x/' },
        },
        { name: 'off', state: 'disabled', enabled: false },
        { name: 'literal', args: ['$SET', '%SET%'] },
        { name: 'power', scope: 'user', transport: 'http', state: 'ready' },
      ],
      problems: ['missing-variable'],
    },
    {
      title: 'gives agents precedence over the project, and the project over the user, without approval by the client',
      files: {
        '~/.kiro/settings/mcp.json': '{"mcpServers":{"same":{"command":"node","args":["user"]}}}',
        '<project>/.kiro/settings/mcp.json': '{"mcpServers":{"same":{"command":"node","args":["project"]}}}',
        '~/.kiro/agents/helper.json':
          '{"name":"helper","tools":["*"],"includeMcpJson":true,"mcpServers":{"same":{"command":"node","args":["agent"]}}}',
        '<project>/.kiro/agents/reviewer.json': '{"mcpServers":{"review":{"command":"node","args":["${SET}"]}}}',
        '<project>/.kiro/agents/plain.json': '{"name":"plain"}',
        '<project>/.kiro/agents/README.md': 'no agent',
      },
      env: { SET: 's' },
      expected: [
        { name: 'same', scope: 'user', precedence: 10, args: ['user'] },
        { name: 'same', scope: 'project', precedence: 20, args: ['project'], state: 'ready' },
        { name: 'same', scope: 'agent', precedence: 30, args: ['agent'], state: 'ready' },
        { name: 'review', scope: 'agent', args: ['s'], source: '<project>/.kiro/agents/reviewer.json' },
      ],
    },
    {
      title: 'does not read powers in a project',
      files: { '<project>/.kiro/settings/mcp.json': '{"powers":{"mcpServers":{"power":{"command":"node"}}}}' },
      expected: [],
    },
  ],
};
