import type { Samples } from './sample.js';

export const visualStudio: Samples = {
  client: 'visual-studio',
  samples: [
    {
      title: 'reads the file of the user and four of the solution, with increasing precedence',
      platforms: ['win32'],
      files: {
        '~/.mcp.json': `{
  "inputs": [{ "id": "pat", "type": "promptString", "description": "A token", "password": true }],
  "servers": {
    "home": { "type": "stdio", "command": "node", "env": { "PAT": "\${input:pat}" } }, // asks
    "same": { "command": "node", "args": ["1"] },
  },
}`,
        '<project>/.vs/mcp.json':
          '{"servers":{"private":{"url":"https://private.example/mcp"},"same":{"command":"node","args":["2"]}}}',
        '<project>/.mcp.json':
          '{"servers":{"solution":{"type":"sse","url":"https://solution.example/sse"},"same":{"command":"node","args":["3"]}}}',
        '<project>/.vscode/mcp.json': '{"servers":{"same":{"command":"node","args":["4","${env:STAGE}"]}}}',
        '<project>/.cursor/mcp.json':
          '{"mcpServers":{"same":{"command":"node","args":["5"]},"cursors":{"command":"node"}}}',
      },
      env: { Stage: 'test' },
      expected: [
        {
          name: 'home',
          client: 'visual-studio',
          scope: 'user',
          line: 4,
          state: 'needs-input',
          inputs: [{ id: 'pat', type: 'promptString', description: 'A token', password: true }],
        },
        { name: 'same', scope: 'user', precedence: 10, args: ['1'] },
        { name: 'private', scope: 'project', transport: 'http', source: '<project>/.vs/mcp.json', state: 'ready' },
        { name: 'same', scope: 'project', precedence: 20, args: ['2'] },
        { name: 'solution', transport: 'sse', source: '<project>/.mcp.json' },
        { name: 'same', precedence: 21, args: ['3'] },
        { name: 'same', precedence: 22, args: ['4', 'test'], source: '<project>/.vscode/mcp.json' },
        { name: 'same', precedence: 23, args: ['5'] },
        { name: 'cursors', source: '<project>/.cursor/mcp.json' },
      ],
    },
    {
      title: 'accepts both keys, because other programs write files of the same name',
      platforms: ['win32'],
      files: {
        '~/.mcp.json': '{"mcpServers":{"theirs":{"command":"node"}}}',
        '<project>/.mcp.json': '{"mcpServers":{"theirs-too":{"type":"http","url":"https://theirs.example/mcp"}}}',
      },
      expected: [
        { name: 'theirs', scope: 'user', state: 'ready' },
        { name: 'theirs-too', scope: 'project', transport: 'http', state: 'ready' },
      ],
    },
    {
      title: 'is absent on other platforms',
      platforms: ['linux', 'darwin'],
      files: { '~/.mcp.json': '{"servers":{"home":{"command":"node"}}}' },
      expected: [],
    },
  ],
};
