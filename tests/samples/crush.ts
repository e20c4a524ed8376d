import type { Samples } from './sample.js';

const ONE = '{"mcp":{"one":{"command":"one-server"}}}';

export const crush: Samples = {
  client: 'crush',
  samples: [
    {
      title: 'reads the servers of the user, as programs without a type, with timeouts in seconds',
      files: {
        '~/.config/crush/crush.json': `{
  "mcp": {
    "files": { "command": "node", "args": ["$A", "\${A}"], "env": { "K": "\${UNSET}" }, "timeout": 120, "disabled_tools": ["write"] },
    "stream": { "type": "http", "url": "https://$A.example/mcp", "headers": { "X": "$A" }, "enabled_tools": ["read"], "oauth_client_id": "me", "oauth_callback_port": 4000, "oauth_token": { "access_token": "hidden" } },
    "events": { "type": "sse", "url": "https://events.example/sse", "disabled": true },
    "address": { "url": "https://no-type.example/mcp" }
  }
}`,
      },
      env: { A: 'a' },
      expected: [
        {
          name: 'files',
          client: 'crush',
          scope: 'user',
          line: 3,
          transport: 'stdio',
          state: 'ready',
          args: ['a', 'a'],
          missing: ['UNSET'],
          timeoutMs: 120_000,
          tools: { deny: ['write'] },
          precedence: 10,
          written: { args: ['$A', '${A}'], env: { K: '${UNSET}' } },
        },
        {
          name: 'stream',
          transport: 'http',
          url: 'https://a.example/mcp',
          headers: { X: 'a' },
          tools: { allow: ['read'] },
          oauth: { clientId: 'me', callbackPort: 4000 },
        },
        { name: 'events', transport: 'sse', state: 'disabled', enabled: false },
      ],
      problems: ['missing-variable', 'invalid-entry'],
    },
    {
      title: 'never executes a command in a value',
      files: {
        '~/.config/crush/crush.json': `{ "mcp": {
  "vault": { "type": "http", "url": "https://v.example/mcp", "headers": { "K": "Bearer $(touch <home>/ran; echo k)" } },
  "args": { "command": "x", "args": ["$(touch <home>/ran)"], "env": { "A": "$(touch <home>/ran)" } } } }`,
      },
      expected: [
        { name: 'vault', state: 'needs-input', headers: { K: 'Bearer $(touch <home>/ran; echo k)' } },
        { name: 'args', state: 'needs-input', args: ['$(touch <home>/ran)'], env: { A: '$(touch <home>/ran)' } },
      ],
      problems: ['command-substitution-not-run', 'command-substitution-not-run'],
    },
    {
      title: 'reads XDG_CONFIG_HOME',
      files: { '~/xdg/crush/crush.json': ONE, '~/.config/crush/crush.json': '{"mcp":{"x":{"command":"x"}}}' },
      env: { XDG_CONFIG_HOME: '<home>/xdg' },
      expected: [{ name: 'one', source: '<home>/xdg/crush/crush.json' }],
    },
    {
      title: 'prefers CRUSH_GLOBAL_CONFIG',
      files: { '~/moved/crush.json': ONE, '~/xdg/crush/crush.json': '{"mcp":{"x":{"command":"x"}}}' },
      env: { CRUSH_GLOBAL_CONFIG: '<home>/moved', XDG_CONFIG_HOME: '<home>/xdg' },
      expected: [{ name: 'one', source: '<home>/moved/crush.json' }],
    },
    {
      title: 'reads both file names in a project, without approval by the client',
      files: {
        '<project>/.crush.json': '{"mcp":{"dot":{"command":"dot-server"}}}',
        '<project>/crush.json': '{"mcp":{"plain":{"command":"plain-server"}}}',
      },
      expected: [
        { name: 'dot', scope: 'project', state: 'ready', precedence: 20 },
        { name: 'plain', scope: 'project', state: 'ready' },
      ],
    },
    {
      title: 'reads the file of the system with the lowest precedence',
      platforms: ['linux', 'darwin'],
      files: { '/etc/crush/crush.json': ONE, '~/.config/crush/crush.json': ONE },
      expected: [
        { name: 'one', scope: 'managed', source: '<root>/etc/crush/crush.json', precedence: 5 },
        { name: 'one', scope: 'user', precedence: 10 },
      ],
    },
    {
      title: 'lists the servers of scripts without executing them',
      files: {
        '~/.config/crush/crushrc': `# a script
touch <home>/ran
mcp add docs --type http --url https://docs.example/mcp
mcp add "two words" --type stdio --command node
echo mcp add not-a-server
`,
        '<project>/.crushrc': 'source ./more.sh\n',
        '<project>/crushrc': 'mcp add own --type stdio --command own\n',
      },
      expected: [
        { name: 'docs', scope: 'user', line: 3, state: 'inventory-only', url: 'https://docs.example/mcp' },
        { name: 'two words', scope: 'user', line: 4, state: 'inventory-only' },
        { scope: 'project', state: 'inventory-only', source: '<project>/.crushrc' },
        { name: 'own', scope: 'project', line: 1, state: 'inventory-only', source: '<project>/crushrc' },
      ],
    },
  ],
};
