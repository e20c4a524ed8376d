import type { Samples } from './sample.js';

export const opencodeLegacy: Samples = {
  client: 'opencode-legacy',
  samples: [
    {
      title: 'reads both files of the user and the file of the project, with variables as a list of pairs',
      files: {
        '~/.opencode.json': `{ "mcpServers": {
  "files": { "type": "stdio", "command": "node", "args": ["files.js"], "env": ["MODE=a=b", "EMPTY="] },
  "plain": { "command": "plain-server" },
  "events": { "type": "sse", "url": "https://events.example/sse", "headers": { "Authorization": "Bearer $TOKEN" } }
} }`,
        '~/.config/opencode/.opencode.json': '{"mcpServers":{"second":{"command":"second-server"}}}',
        '<project>/.opencode.json': '{"mcpServers":{"own":{"command":"own-server","cwd":"/srv","env":{"AS":"map"}}}}',
      },
      expected: [
        {
          name: 'files',
          client: 'opencode-legacy',
          scope: 'user',
          line: 2,
          transport: 'stdio',
          state: 'ready',
          command: 'node',
          args: ['files.js'],
          env: { MODE: 'a=b', EMPTY: '' },
          precedence: 10,
        },
        { name: 'plain', line: 3, transport: 'stdio', command: 'plain-server', args: [] },
        {
          name: 'events',
          line: 4,
          transport: 'sse',
          url: 'https://events.example/sse',
          headers: { Authorization: 'Bearer $TOKEN' },
        },
        { name: 'second', scope: 'user', source: '<home>/.config/opencode/.opencode.json' },
        { name: 'own', scope: 'project', state: 'ready', cwd: '/srv', env: { AS: 'map' }, precedence: 20 },
      ],
    },
    {
      title: 'reads XDG_CONFIG_HOME',
      files: { '~/xdg/opencode/.opencode.json': '{"mcpServers":{"moved":{"command":"moved-server"}}}' },
      env: { XDG_CONFIG_HOME: '<home>/xdg' },
      expected: [{ name: 'moved', source: '<home>/xdg/opencode/.opencode.json' }],
    },
    {
      title: 'skips only an invalid entry',
      files: {
        '~/.opencode.json':
          '{"mcpServers":{"pair":{"command":"x","env":["NO_VALUE"]},"none":{"type":"stdio"},"good":{"command":"good"}}}',
      },
      expected: [{ name: 'good' }],
      problems: ['invalid-entry', 'invalid-entry'],
    },
  ],
};
