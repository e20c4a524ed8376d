import type { Samples } from './sample.js';

export const cursor: Samples = {
  client: 'cursor',
  samples: [
    {
      title: 'reads programs and URLs of the user, from a file with comments and trailing commas',
      files: {
        '~/.cursor/mcp.json': `{
  // written by hand
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "server-files", "\${userHome}/docs"], "env": { "TOKEN": "\${env:FILES_TOKEN}" }, "envFile": ".env" },
    "search": { "url": "https://search.example/mcp", "headers": { "Authorization": "Bearer \${env:SEARCH_TOKEN}" } },
    "events": { "type": "sse", "url": "https://events.example/sse", "disabled": true },
  },
}`,
      },
      env: { FILES_TOKEN: 'f-1' },
      expected: [
        {
          name: 'files',
          client: 'cursor',
          scope: 'user',
          line: 4,
          transport: 'stdio',
          state: 'ready',
          enabled: true,
          args: ['-y', 'server-files', '<home>/docs'],
          env: { TOKEN: 'f-1' },
          envFile: '.env',
          written: {
            command: 'npx',
            args: ['-y', 'server-files', '${userHome}/docs'],
            env: { TOKEN: '${env:FILES_TOKEN}' },
          },
        },
        {
          name: 'search',
          line: 5,
          transport: 'auto',
          state: 'ready',
          headers: { Authorization: 'Bearer ${env:SEARCH_TOKEN}' },
          missing: ['SEARCH_TOKEN'],
        },
        { name: 'events', line: 6, transport: 'sse', state: 'disabled', enabled: false },
      ],
      problems: (platform) => [...(platform === 'win32' ? ['windows-npx'] : []), 'missing-variable'],
    },
    {
      title: 'marks servers of a repository as pending, and reads plugins in both formats',
      files: {
        '<project>/.cursor/mcp.json':
          '{"mcpServers":{"own":{"command":"node","args":["${workspaceFolder}/server.js"]}}}',
        '~/.cursor/plugins/cache/acme/one/mcp.json': '{"mcpServers":{"wrapped":{"url":"https://one.example/mcp"}}}',
        '~/.cursor/plugins/local/two/.mcp.json': '{"bare":{"command":"two-server"}}',
      },
      expected: [
        {
          name: 'own',
          scope: 'project',
          state: 'pending-approval',
          source: '<project>/.cursor/mcp.json',
          args: ['<project>/server.js'],
        },
        { name: 'wrapped', scope: 'plugin', state: 'ready', transport: 'auto' },
        { name: 'bare', scope: 'plugin', state: 'ready', command: 'two-server' },
      ],
    },
  ],
};
