import type { Samples } from './sample.js';

export const qoder: Samples = {
  client: 'qoder',
  samples: [
    {
      title: 'reads programs and addresses, one bad entry costing only itself',
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
      title: 'takes what looks like a reference as it is: nobody knows that Qoder expands any',
      files: {
        '~/.qoder/mcp.json': '{"mcpServers":{"a":{"command":"node","env":{"TOKEN":"${TOKEN}"}}}}',
      },
      env: { TOKEN: 'set' },
      expected: [{ name: 'a', state: 'ready', env: { TOKEN: '${TOKEN}' } }],
      problems: ['reference-not-expanded'],
    },
    {
      title: 'finds nothing in a file without servers',
      files: { '~/.qoder/mcp.json': '{"theme":"dark"}' },
      expected: [],
    },
  ],
};
