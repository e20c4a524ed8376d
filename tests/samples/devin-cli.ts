import type { Platform } from '../support/machine.js';
import type { Samples } from './sample.js';

const userFile = (platform: Platform) =>
  `${platform === 'win32' ? '~/AppData/Roaming' : '~/.config'}/devin/config.json`;

export const devinCli: Samples = {
  client: 'devin-cli',
  samples: [
    {
      title: 'treats a URL as http without a transport, and expands no value',
      files: (platform) => ({
        [userFile(platform)]: `{
  "model": "any", /* settings of another kind */
  "mcpServers": {
    "local": { "command": "node", "args": ["\${HOME}"], "env": { "A": "\${env:A}" }, "cwd": "/srv" },
    "plain": { "url": "https://plain.example/mcp", "oauth": { "clientId": "me" } },
    "http": { "url": "https://http.example/mcp", "transport": "http", "headers": { "X-A": "$A" } },
    "sse": { "url": "https://sse.example/events", "transport": "sse" },
    "odd": { "url": "https://odd.example/mcp", "transport": "telegraph" },
  },
}`,
      }),
      env: { A: 'a' },
      expected: (platform) => [
        {
          name: 'local',
          client: 'devin-cli',
          scope: 'user',
          source: userFile(platform).replace('~', '<home>'),
          line: 4,
          state: 'ready',
          args: ['${HOME}'],
          env: { A: '${env:A}' },
          cwd: '/srv',
        },
        { name: 'plain', transport: 'http', oauth: { clientId: 'me' } },
        { name: 'http', transport: 'http', headers: { 'X-A': '$A' } },
        { name: 'sse', transport: 'sse' },
      ],
      problems: ['reference-not-expanded', 'invalid-entry'],
    },
    {
      title: 'gives the local file precedence over the project, and the project over the user',
      files: (platform) => ({
        [userFile(platform)]: '{"mcpServers":{"same":{"command":"node","args":["user"]}}}',
        '<project>/.devin/config.json': '{"mcpServers":{"same":{"command":"node","args":["project"]}}}',
        '<project>/.devin/config.local.json': '{"mcpServers":{"same":{"command":"node","args":["local"]}}}',
      }),
      expected: [
        { name: 'same', scope: 'user', precedence: 10, args: ['user'] },
        { name: 'same', scope: 'project', precedence: 20, args: ['project'], state: 'ready' },
        { name: 'same', scope: 'local', precedence: 30, args: ['local'], state: 'ready' },
      ],
    },
  ],
};
