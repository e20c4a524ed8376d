import { appData } from '../support/machine.js';
import type { Samples } from './sample.js';

export const fiveIre: Samples = {
  client: '5ire',
  samples: [
    {
      title: 'reads programs and URLs, and marks entries that need input',
      files: (platform) => ({
        [appData(platform, '5ire/mcp.json')]: JSON.stringify({
          mcpServers: {
            local: { type: 'local', command: 'node', args: ['a.js'], isActive: true, approvalPolicy: 'always' },
            resting: { type: 'local', command: 'node', isActive: false },
            remote: { type: 'remote', url: 'https://f.example/mcp', headers: { 'X-Team': 'a' }, isActive: true },
            events: { type: 'sse', url: 'https://f.example/sse' },
            plain: { type: 'streamable', url: 'https://f.example/mcp' },
            untyped: { url: 'https://f.example/any' },
            asks: {
              command: 'node',
              args: ['--dir', '{{folder@string::Where the files are}}'],
              env: { API_KEY: '{{apiKey}}' },
            },
          },
          updated: 1,
        }),
      }),
      expected: [
        { name: 'local', client: '5ire', scope: 'user', transport: 'stdio', state: 'ready', args: ['a.js'] },
        { name: 'resting', state: 'disabled', enabled: false },
        { name: 'remote', transport: 'auto', state: 'ready', headers: { 'X-Team': 'a' } },
        { name: 'events', transport: 'sse' },
        { name: 'plain', transport: 'http' },
        { name: 'untyped', transport: 'auto' },
        {
          name: 'asks',
          state: 'needs-input',
          args: ['--dir', '{{folder@string::Where the files are}}'],
          env: { API_KEY: '{{apiKey}}' },
          inputs: [{ id: 'apiKey' }, { id: 'folder' }],
        },
      ],
    },
    {
      title: 'reads the list of older versions, with the keys as names',
      files: (platform) => ({
        [appData(platform, '5ire/mcp.json')]: `{
  "servers": [
    { "key": "one", "command": "node", "args": ["one.js"], "isActive": true },
    { "key": "two", "command": "node", "isActive": false },
    { "command": "node" }
  ]
}`,
      }),
      expected: [
        { name: 'one', line: 3, state: 'ready', args: ['one.js'] },
        { name: 'two', line: 4, state: 'disabled' },
      ],
      problems: ['invalid-entry'],
    },
  ],
};
