import type { Samples } from './sample.js';

export const agentsDir: Samples = {
  client: 'agents-dir',
  samples: [
    {
      title: 'reads the files of the user and of the repository without expansion',
      files: {
        '~/.agents/.mcp.json': `{
  "mcpServers": {
    "files": { "command": "node", "args": ["\${ROOT}"], "env": { "K": "$ROOT" } },
    "stream": { "type": "http", "url": "https://stream.example/mcp" },
    "untyped": { "url": "https://untyped.example/mcp" }
  }
}`,
        '<project>/.git/HEAD': 'ref: refs/heads/main\n',
        '<project>/.agents/.mcp.json': '{"mcpServers":{"own":{"type":"ws","url":"wss://own.example/mcp"}}}',
      },
      env: { ROOT: '/r' },
      expected: [
        {
          name: 'files',
          client: 'agents-dir',
          scope: 'user',
          line: 3,
          transport: 'stdio',
          args: ['${ROOT}'],
          env: { K: '$ROOT' },
          precedence: 5,
        },
        { name: 'stream', transport: 'http', state: 'ready' },
        { name: 'untyped', transport: 'auto' },
        { name: 'own', scope: 'project', transport: 'ws', source: '<project>/.agents/.mcp.json' },
      ],
      problems: ['reference-not-expanded', 'url-without-type'],
    },
  ],
};
