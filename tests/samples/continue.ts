import type { Samples } from './sample.js';

export const continueDev: Samples = {
  client: 'continue',
  samples: [
    {
      title: 'reads the list in the YAML file, with secrets from the environment and two files',
      files: {
        '~/.continue/config.yaml': `name: mine
version: 1.0.0
mcpServers:
  - name: files
    command: node
    args: [files.js, "\${{ secrets.A }}", "\${A}"]
    cwd: "\${{ secrets.B }}"
    env:
      ONE: \${{ secrets.A }}
      TWO: \${{secrets.B}}
      THREE: \${{ secrets.C }}
      FOUR: \${{ secrets.D }}
    connectionTimeout: 4000
    envFile: .env
  - name: far
    type: streamable-http
    url: https://far.example/mcp
    apiKey: \${{ secrets.A }}
    requestOptions:
      headers:
        X-More: "1"
  - name: events
    type: sse
    url: https://events.example/sse
  - name: either
    url: https://either.example/mcp
  - name: asks
    command: asks
    env: { KEY: "\${{ inputs.KEY }}" }
  - command: nameless
`,
        '~/.continue/.env': 'A=not-this\nB=b-home\n',
        '<project>/.env': 'export B=not-this\nC="c project"\n',
      },
      env: { A: 'a-env' },
      expected: [
        {
          name: 'files',
          client: 'continue',
          scope: 'user',
          line: 4,
          transport: 'stdio',
          state: 'ready',
          args: ['files.js', 'a-env', '${A}'],
          cwd: 'b-home',
          env: { ONE: 'a-env', TWO: 'b-home', THREE: 'c project', FOUR: '${{ secrets.D }}' },
          missing: ['D'],
          startupTimeoutMs: 4000,
          precedence: 10,
          written: { env: { ONE: '${{ secrets.A }}' } },
        },
        {
          name: 'far',
          line: 15,
          transport: 'http',
          headers: { 'X-More': '1', Authorization: 'Bearer a-env' },
          written: { headers: { Authorization: 'Bearer ${{ secrets.A }}' } },
        },
        { name: 'events', transport: 'sse' },
        { name: 'either', transport: 'auto' },
        { name: 'asks', state: 'needs-input', inputs: [{ id: 'KEY' }] },
      ],
      problems: ['invalid-entry', 'unsupported-field', 'missing-variable'],
    },
    {
      title: 'reads every file format in the directories of the user and of a project',
      files: {
        '~/.continue/mcpServers/block.yaml': 'mcpServers:\n  - name: block\n    command: block-server\n',
        '~/.continue/mcpServers/deep/er/claude.json': `{
  "mcpServers": { "map": { "type": "http", "url": "https://map.example/mcp", "headers": { "X": "\${TOKEN}" } } },
  "projects": { "/some/where": { "mcpServers": { "inner": { "command": "inner-server" } } } }
}`,
        '~/.continue/mcpServers/bare.json': '{"command":"bare-server","args":["x"]}',
        '<project>/.continue/mcpServers/own.yaml': 'mcpServers: [{ name: own, command: own-server }]',
        '<project>/.continue/mcpServers/sub/one.json': '{"url":"https://one.example/mcp"}',
      },
      env: { TOKEN: 't-1' },
      expected: [
        { name: 'block', scope: 'user', line: 2, precedence: 20 },
        { name: 'bare', scope: 'user', command: 'bare-server', args: ['x'] },
        { name: 'map', transport: 'http', headers: { X: 't-1' }, written: { headers: { X: '${TOKEN}' } } },
        { name: 'inner', command: 'inner-server', line: 3 },
        { name: 'own', scope: 'project', state: 'ready' },
        { name: 'one', scope: 'project', transport: 'auto', url: 'https://one.example/mcp' },
      ],
    },
    {
      title: 'reads CONTINUE_GLOBAL_DIR, also for secrets',
      files: {
        '~/moved/config.yaml': 'mcpServers: [{ name: moved, command: x, env: { K: "${{ secrets.K }}" } }]',
        '~/moved/.env': "K='k-1'\n",
        '~/.continue/config.yaml': 'mcpServers: [{ name: not-read, command: x }]',
      },
      env: { CONTINUE_GLOBAL_DIR: '<home>/moved' },
      expected: [{ name: 'moved', source: '<home>/moved/config.yaml', env: { K: 'k-1' } }],
    },
    {
      title: 'reads the first format, and reports it as deprecated',
      files: {
        '~/.continue/config.json': `{ "experimental": { "modelContextProtocolServers": [
  { "transport": { "type": "stdio", "command": "old-server", "args": ["a"] } },
  { "name": "named", "transport": { "type": "sse", "url": "https://old.example/sse" } }
] } }`,
      },
      expected: [
        { scope: 'user', line: 2, command: 'old-server', args: ['a'], precedence: 5 },
        { name: 'named', line: 3, transport: 'sse' },
      ],
      problems: ['deprecated-location'],
    },
    {
      title: 'skips only an invalid file',
      files: {
        '~/.continue/config.yaml': 'mcpServers:\n  - name: [\n',
        '~/.continue/mcpServers/good.json': '{"mcpServers":{"good":{"command":"good"}}}',
      },
      expected: [{ name: 'good' }],
      problems: ['parse-error'],
    },
  ],
};
