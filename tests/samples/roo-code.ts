import { appData, type Platform } from '../support/machine.js';
import type { Samples } from './sample.js';

const FILE = 'User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json';
const storage = (platform: Platform, editor = 'Code') => appData(platform, `${editor}/${FILE}`);

export const rooCode: Samples = {
  client: 'roo-code',
  samples: [
    {
      title: 'treats a URL without a type as sse, reads timeouts in seconds, and removes missing variables',
      files: (platform) => ({
        [storage(platform)]: JSON.stringify({
          mcpServers: {
            local: {
              command: 'node',
              args: ['${env:SET}', '[${env:UNSET}]'],
              cwd: '${workspaceFolder}',
              env: { COUNT: 2 },
              timeout: 120,
              alwaysAllow: ['*'],
              disabledTools: ['remove'],
              watchPaths: ['/srv'],
            },
            untyped: { url: 'https://untyped.example/events' },
            streaming: { type: 'streamable-http', url: 'https://streaming.example/mcp' },
            events: { type: 'sse', url: 'https://events.example/${env:UNSET}' },
            off: { type: 'stdio', command: 'node', disabled: true },
          },
        }),
      }),
      env: { SET: 's' },
      expected: (platform) => [
        {
          name: 'local',
          client: 'roo-code',
          scope: 'user',
          source: storage(platform).replace('~', '<home>'),
          state: 'ready',
          precedence: 10,
          args: ['s', '[]'],
          cwd: '<project>',
          env: { COUNT: '2' },
          timeoutMs: 120_000,
          tools: { deny: ['remove'] },
          missing: ['UNSET'],
          written: { args: ['${env:SET}', '[${env:UNSET}]'], cwd: '${workspaceFolder}' },
        },
        { name: 'untyped', transport: 'sse' },
        { name: 'streaming', transport: 'http' },
        { name: 'events', transport: 'sse', url: 'https://events.example/', missing: ['UNSET'] },
        { name: 'off', state: 'disabled', enabled: false },
      ],
      problems: ['missing-variable', 'missing-variable'],
    },
    {
      title: 'reads its storage in several editors, and gives the project precedence without approval by the client',
      files: (platform) => ({
        [storage(platform, 'Cursor')]: '{"mcpServers":{"same":{"command":"node","args":["cursor"]}}}',
        [storage(platform, 'Windsurf')]: '{"mcpServers":{"windsurf":{"command":"node"}}}',
        '<project>/.roo/mcp.json':
          '{"mcpServers":{"same":{"command":"node","args":["${workspaceFolder}/own.js"]},"key":{"command":"node","env":{"A":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}}}}',
      }),
      expected: [
        { name: 'same', scope: 'user', args: ['cursor'] },
        { name: 'windsurf', scope: 'user' },
        { name: 'same', scope: 'project', state: 'ready', precedence: 20, args: ['<project>/own.js'] },
        { name: 'key', scope: 'project', state: 'ready' },
      ],
      problems: ['secret-in-file'],
    },
    {
      title: 'reads its storage on the remote host',
      platforms: ['linux'],
      files: { [`~/.vscode-server/data/${FILE}`]: '{"mcpServers":{"remote":{"command":"node"}}}' },
      expected: [{ name: 'remote', scope: 'user' }],
    },
  ],
};
