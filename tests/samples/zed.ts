import type { Platform } from '../support/machine.js';
import type { Samples } from './sample.js';

const userFile = (platform: Platform) =>
  `${platform === 'win32' ? '~/AppData/Roaming/Zed' : '~/.config/zed'}/settings.json`;

export const zed: Samples = {
  client: 'zed',
  samples: [
    {
      title: 'reads both command formats, timeouts in seconds and flags, without expansion',
      files: (platform) => ({
        [userFile(platform)]: `// the settings of an editor
{
  "theme": "One Dark",
  "context_servers": {
    "local": { "source": "custom", "command": "node", "args": ["\${HOME}"], "env": { "A": "$A" }, "timeout": 30 },
    "older": { "command": { "path": "node", "args": ["older.js"], "env": { "B": "2" } }, "settings": {} },
    "off": { "enabled": false, "command": "node" },
    "web": { "url": "https://web.example/mcp", "headers": { "X-A": "a" }, "oauth": { "client_id": "me" } },
    "extension": { "source": "extension", "settings": { "database": "postgres" } },
    "extension-only": { "settings": {} },
    "extension-marked": { "source": "extension", "enabled": true },
    "nothing": { "enabled": true },
  },
}`,
      }),
      env: { HOME: '/nowhere', A: 'a' },
      expected: (platform) => [
        {
          name: 'local',
          client: 'zed',
          scope: 'user',
          source: userFile(platform).replace('~', '<home>'),
          line: 5,
          state: 'ready',
          precedence: 10,
          args: ['${HOME}'],
          env: { A: '$A' },
          timeoutMs: 30_000,
        },
        { name: 'older', transport: 'stdio', state: 'ready', command: 'node', args: ['older.js'], env: { B: '2' } },
        { name: 'off', state: 'disabled', enabled: false },
        { name: 'web', transport: 'http', headers: { 'X-A': 'a' }, oauth: { client_id: 'me' } },
        { name: 'extension', state: 'inventory-only' },
        { name: 'extension-only', state: 'inventory-only' },
        { name: 'extension-marked', state: 'inventory-only' },
      ],
      problems: ['reference-not-expanded', 'invalid-entry'],
    },
    {
      title: 'marks servers of a project as pending, with precedence over the user',
      files: (platform) => ({
        [userFile(platform)]: '{"context_servers":{"same":{"command":"node","args":["user"]}}}',
        '<project>/.zed/settings.json': '{"context_servers":{"same":{"command":"node","args":["project"]}}}',
      }),
      expected: [
        { name: 'same', scope: 'user', precedence: 10, state: 'ready', args: ['user'] },
        { name: 'same', scope: 'project', precedence: 20, state: 'pending-approval', args: ['project'] },
      ],
    },
    {
      title: 'reports no problem for settings without servers',
      files: (platform) => ({ [userFile(platform)]: '{"mcpServers":{"other":{"command":"node"}},"tab_size":2,}' }),
      expected: [],
    },
    {
      title: 'uses the same directory on macOS as on Linux, not Library',
      platforms: ['darwin'],
      files: {
        '~/Library/Application Support/Zed/settings.json': '{"context_servers":{"unread":{"command":"node"}}}',
        '~/.config/zed/settings.json': '{"context_servers":{"read":{"command":"node"}}}',
      },
      expected: [{ name: 'read' }],
    },
    {
      title: 'reads XDG_CONFIG_HOME',
      platforms: ['linux'],
      files: { '~/xdg/zed/settings.json': '{"context_servers":{"xdg":{"command":"node"}}}' },
      env: { XDG_CONFIG_HOME: '<home>/xdg' },
      expected: [{ name: 'xdg' }],
    },
    {
      title: 'prefers the directory of a Flatpak',
      platforms: ['linux'],
      files: {
        '~/flatpak/zed/settings.json': '{"context_servers":{"flatpak":{"command":"node"}}}',
        '~/xdg/zed/settings.json': '{"context_servers":{"xdg":{"command":"node"}}}',
      },
      env: { FLATPAK_XDG_CONFIG_HOME: '<home>/flatpak', XDG_CONFIG_HOME: '<home>/xdg' },
      expected: [{ name: 'flatpak' }],
    },
  ],
};
