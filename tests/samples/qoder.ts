import type { Samples } from './sample.js';

export const qoder: Samples = {
  client: 'qoder',
  samples: [
    {
      title: 'reads programs and URLs, and skips only an invalid entry',
      files: {
        '~/.qoder/mcp.json': `\uFEFF{
  "mcpServers": {
    "good": { "command": "uvx", "args": ["server-time"] }, // a comment
    "empty": {},
    "wrong": { "command": "node", "args": "server.js" },
    "remote": { "type": "streamable-http", "url": "https://q.example/mcp" },
  },
}`,
      },
      expected: [
        { name: 'good', client: 'qoder', scope: 'user', line: 3, transport: 'stdio', args: ['server-time'] },
        { name: 'remote', line: 6, transport: 'http', state: 'ready' },
      ],
      problems: ['invalid-entry', 'invalid-entry'],
    },
    {
      title: 'expands no references, because Qoder documents none',
      files: {
        '~/.qoder/mcp.json': '{"mcpServers":{"a":{"command":"node","env":{"TOKEN":"${TOKEN}"}}}}',
      },
      env: { TOKEN: 'set' },
      expected: [{ name: 'a', state: 'ready', env: { TOKEN: '${TOKEN}' } }],
      problems: ['reference-not-expanded'],
    },
    {
      title: 'reads nothing from a file without servers',
      files: { '~/.qoder/mcp.json': '{"theme":"dark"}' },
      expected: [],
    },
  ],
};
