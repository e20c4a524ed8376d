import type { Samples } from './sample.js';

export const tabnine: Samples = {
  client: 'tabnine',
  samples: [
    {
      title: 'reads the format of Gemini CLI from a file with other settings',
      files: {
        '~/.tabnine/agent/settings.json': JSON.stringify({
          general: { previewFeatures: true },
          mcpServers: {
            files: {
              command: 'node',
              args: ['files.js'],
              cwd: '/srv',
              timeout: 600,
              trust: true,
              includeTools: ['read', 'write'],
              excludeTools: ['write'],
              description: 'files of the team',
            },
            plain: { httpUrl: 'https://t.example/mcp', headers: { 'X-Team': 'a' } },
            either: { url: 'https://t.example/any' },
            events: { type: 'sse', url: 'https://t.example/sse' },
            socket: { tcp: 'localhost:7000' },
          },
        }),
      },
      expected: [
        {
          name: 'files',
          client: 'tabnine',
          scope: 'user',
          transport: 'stdio',
          state: 'ready',
          cwd: '/srv',
          timeoutMs: 600,
          tools: { allow: ['read', 'write'], deny: ['write'] },
          description: 'files of the team',
        },
        { name: 'plain', transport: 'http', url: 'https://t.example/mcp', headers: { 'X-Team': 'a' } },
        { name: 'either', transport: 'auto' },
        { name: 'events', transport: 'sse' },
        { name: 'socket', transport: 'ws', url: 'ws://localhost:7000' },
      ],
    },
    {
      title: 'prefers the URL over the command, and warns about both',
      files: {
        '~/.tabnine/agent/settings.json':
          '{"mcpServers":{"both":{"command":"node","url":"https://t.example/u","httpUrl":"https://t.example/h"}}}',
      },
      expected: [{ name: 'both', transport: 'http', url: 'https://t.example/h' }],
      problems: ['ambiguous-entry'],
    },
  ],
};
