import type { Samples } from './sample.js';

export const librechat: Samples = {
  client: 'librechat',
  samples: [
    {
      title: 'reads YAML with timeouts in milliseconds, and derives the transport from the URL',
      files: {
        '<project>/librechat.yaml': `version: 1.2.1
mcpServers:
  off: # in YAML 1.1 this name would be false
    command: node
    args: [server.js, 8]
    env:
      TOKEN: \${LC_TOKEN}
    timeout: 60000
    initTimeout: 10000
  events:
    url: https://lc.example/sse
  socket:
    url: wss://lc.example/ws
  web:
    type: streamable-http
    url: https://lc.example/\${LC_PATH}
    headers:
      Authorization: Bearer \${LC_UNSET}
  typed: { type: websocket, url: 'ws://lc.example/typed' }
  lazy:
    command: node
    startup: false
`,
      },
      env: { LC_TOKEN: 't-1', LC_PATH: 'mcp' },
      expected: [
        {
          name: 'off',
          client: 'librechat',
          scope: 'server',
          source: '<project>/librechat.yaml',
          line: 3,
          transport: 'stdio',
          state: 'ready',
          args: ['server.js', '8'],
          env: { TOKEN: 't-1' },
          timeoutMs: 60_000,
          startupTimeoutMs: 10_000,
          written: { command: 'node', args: ['server.js', '8'], env: { TOKEN: '${LC_TOKEN}' } },
        },
        { name: 'events', line: 10, transport: 'sse' },
        { name: 'socket', line: 12, transport: 'ws' },
        {
          name: 'web',
          line: 14,
          transport: 'http',
          url: 'https://lc.example/mcp',
          headers: { Authorization: 'Bearer ${LC_UNSET}' },
          missing: ['LC_UNSET'],
        },
        { name: 'typed', line: 19, transport: 'ws' },
        { name: 'lazy', line: 20, state: 'disabled', enabled: false },
      ],
      problems: ['missing-variable'],
    },
    {
      title: 'needs input for user values, and blocks hosts that its settings do not list',
      files: {
        '~/LibreChat/librechat.yaml': `mcpSettings:
  allowedDomains: ['lc.example', '*.team.example']
mcpServers:
  personal:
    type: http
    url: https://lc.example/mcp
    headers: { X-User: '{{LIBRECHAT_USER_ID}}', X-Key: '{{MY_KEY}}' }
  below: { type: http, url: 'https://a.team.example/mcp' }
  elsewhere: { type: http, url: 'https://other.example/mcp' }
  local: { command: node }
`,
      },
      expected: [
        {
          name: 'personal',
          source: '<home>/LibreChat/librechat.yaml',
          state: 'needs-input',
          inputs: [{ id: 'LIBRECHAT_USER_ID' }, { id: 'MY_KEY' }],
          headers: { 'X-User': '{{LIBRECHAT_USER_ID}}', 'X-Key': '{{MY_KEY}}' },
        },
        { name: 'below', state: 'ready' },
        { name: 'elsewhere', state: 'blocked-by-policy' },
        { name: 'local', state: 'ready' },
      ],
    },
    {
      title: 'reads the file of the variable',
      files: { '~/conf/chat.yaml': 'mcpServers: { a: { command: node } }' },
      env: { CONFIG_PATH: '~/conf/chat.yaml' },
      expected: [{ name: 'a', source: '<home>/conf/chat.yaml', line: 1 }],
    },
    {
      title: 'reports invalid YAML with its line',
      files: { '<project>/librechat.yaml': 'mcpServers:\n  a: [\n' },
      expected: [],
      problems: ['parse-error'],
    },
  ],
};
