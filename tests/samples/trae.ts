import { appData } from '../support/machine.js';
import type { Samples } from './sample.js';

export const trae: Samples = {
  client: 'trae',
  samples: [
    {
      title: 'reads the format of Cursor, but expands only the project directory',
      files: (platform) => ({
        [appData(platform, 'Trae/User/mcp.json')]: JSON.stringify({
          mcpServers: {
            local: {
              command: 'node',
              args: ['${workspaceFolder}/server.js', '${env:A}', '${userHome}'],
              cwd: '${workspaceFolder}',
              fromGalleryId: 'vendor.local',
            },
            web: { url: 'https://web.example/mcp' },
            events: { type: 'sse', url: 'https://events.example/sse' },
            streaming: { type: 'streamable-http', url: 'https://streaming.example/mcp' },
            off: { command: 'node', disabled: true },
          },
        }),
        [appData(platform, 'Trae CN/User/mcp.json')]: '{"mcpServers":{"china":{"command":"node"}}}',
      }),
      env: { A: 'a' },
      expected: (platform) => [
        {
          name: 'local',
          client: 'trae',
          scope: 'user',
          source: appData(platform, 'Trae/User/mcp.json').replace('~', '<home>'),
          state: 'ready',
          precedence: 10,
          args: ['<project>/server.js', '${env:A}', '${userHome}'],
          cwd: '<project>',
        },
        { name: 'web', transport: 'auto' },
        { name: 'events', transport: 'sse' },
        { name: 'streaming', transport: 'http' },
        { name: 'off', state: 'disabled', enabled: false },
        { name: 'china', scope: 'user', state: 'ready' },
      ],
    },
    {
      title: 'marks servers of a project as pending, because a setting in its window decides',
      files: { '<project>/.trae/mcp.json': '{"mcpServers":{"own":{"command":"node"}}}' },
      expected: [{ name: 'own', scope: 'project', state: 'pending-approval', precedence: 20 }],
    },
    {
      title: 'reads XDG_CONFIG_HOME',
      platforms: ['linux'],
      files: { '~/xdg/Trae/User/mcp.json': '{"mcpServers":{"xdg":{"command":"node"}}}' },
      env: { XDG_CONFIG_HOME: '<home>/xdg' },
      expected: [{ name: 'xdg' }],
    },
  ],
};
