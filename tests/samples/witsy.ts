import { appData } from '../support/machine.js';
import type { Samples } from './sample.js';

export const witsy: Samples = {
  client: 'witsy',
  samples: [
    {
      title: 'reads both lists, and marks disabled servers',
      files: (platform) => ({
        [appData(platform, 'Witsy/settings.json')]: JSON.stringify({
          general: { language: 'en' },
          mcpServers: {
            notes: { command: 'uvx', args: ['server-notes'], cwd: '/srv', env: { LEVEL: 'debug' } },
            resting: { command: 'node', state: 'disabled' },
            remote: { url: 'https://w.example/mcp' },
          },
          mcp: {
            servers: [
              { name: 'listed', state: 'enabled', command: 'node', args: ['a.js'] },
              {
                uuid: 'u-1',
                registryId: 'r-1',
                state: 'enabled',
                type: 'stdio',
                command: 'node',
                url: 'b.js "two words"',
              },
              { uuid: 'u-2', registryId: null, state: 'disabled', type: 'stdio', command: 'node', url: 'c.js' },
              { state: 'enabled', type: 'stdio', command: 'node' },
            ],
          },
        }),
      }),
      expected: [
        {
          name: 'notes',
          client: 'witsy',
          scope: 'user',
          transport: 'stdio',
          state: 'ready',
          args: ['server-notes'],
          cwd: '/srv',
          env: { LEVEL: 'debug' },
        },
        { name: 'resting', state: 'disabled', enabled: false },
        { name: 'remote', transport: 'auto', state: 'client-ignores' },
        { name: 'listed', state: 'ready', args: ['a.js'] },
        { name: 'r-1', state: 'ready', args: ['b.js', 'two words'] },
        { name: 'u-2', state: 'disabled', args: ['c.js'] },
      ],
      problems: ['invalid-entry', 'unsupported-transport-for-client'],
    },
    {
      title: 'reads the variable for the config directory',
      platforms: ['linux'],
      files: { '~/xdg/Witsy/settings.json': '{"mcpServers":{"notes":{"command":"uvx"}}}' },
      env: { XDG_CONFIG_HOME: '~/xdg' },
      expected: [{ name: 'notes', source: '<home>/xdg/Witsy/settings.json' }],
    },
  ],
};
