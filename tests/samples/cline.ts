import { appData, type Platform } from '../support/machine.js';
import type { Samples } from './sample.js';

const FILE = 'settings/cline_mcp_settings.json';
const EDITORS = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf', 'Trae', 'Kiro', 'Antigravity'];
const storage = (platform: Platform, editor: string) =>
  appData(platform, `${editor}/User/globalStorage/saoudrizwan.claude-dev/${FILE}`);
const one = (name: string) => JSON.stringify({ mcpServers: { [name]: { command: 'node' } } });

export const cline: Samples = {
  client: 'cline',
  samples: [
    {
      title: 'reads old and new types, nested entries of the CLI, and timeouts in seconds',
      files: {
        [`~/.cline/data/${FILE}`]: JSON.stringify({
          __vscodeLegacyMcpSettingsMigration: { done: true },
          mcpServers: {
            local: {
              command: 'node',
              args: ['${env:SET}', '${env:UNSET}'],
              cwd: '/srv/${env:SET}',
              timeout: 30,
              autoApprove: ['read'],
            },
            untyped: { url: 'https://untyped.example/events' },
            streaming: { type: 'streamableHttp', url: 'https://streaming.example/mcp', headers: { A: '${env:SET}' } },
            older: { transportType: 'http', url: 'https://older.example/mcp' },
            'older-sse': { transportType: 'sse', url: 'https://older.example/events', disabled: true },
            nested: {
              transport: { type: 'stdio', command: 'node', args: ['nested.js'], env: { A: '1' }, cwd: '/srv' },
              disabled: false,
              timeout: 0.5,
            },
            'nested-web': { transport: { type: 'streamableHttp', url: 'https://nested.example/mcp' } },
            'nested-untyped': { transport: { url: 'https://nested.example/events' } },
          },
        }),
      },
      env: { SET: 's' },
      expected: [
        {
          name: 'local',
          client: 'cline',
          scope: 'user',
          state: 'ready',
          precedence: 20,
          args: ['s', '${env:UNSET}'],
          cwd: '/srv/s',
          timeoutMs: 30_000,
          missing: ['UNSET'],
        },
        { name: 'untyped', transport: 'sse' },
        { name: 'streaming', transport: 'http', headers: { A: 's' } },
        { name: 'older', transport: 'http' },
        { name: 'older-sse', transport: 'sse', state: 'disabled', enabled: false },
        {
          name: 'nested',
          transport: 'stdio',
          state: 'ready',
          args: ['nested.js'],
          env: { A: '1' },
          cwd: '/srv',
          timeoutMs: 500,
        },
        { name: 'nested-web', transport: 'http', url: 'https://nested.example/mcp' },
        { name: 'nested-untyped', transport: 'sse' },
      ],
      problems: ['missing-variable'],
    },
    {
      title: 'reads the storage of its extension in every VS Code variant, with lower precedence than its own file',
      files: (platform) => ({
        ...Object.fromEntries(EDITORS.map((editor) => [storage(platform, editor), one(editor)])),
        [`~/.cline/data/${FILE}`]: one('Code'),
      }),
      expected: [
        { name: 'Code', precedence: 20 },
        { name: 'Code', scope: 'user', precedence: 10 },
        ...EDITORS.slice(1).map((name) => ({ name, scope: 'user' as const, state: 'ready' as const })),
      ],
    },
    {
      title: 'reads the storage of its extension on the remote host',
      platforms: ['linux'],
      files: { [`~/.vscode-server/data/User/globalStorage/saoudrizwan.claude-dev/${FILE}`]: one('remote') },
      expected: [{ name: 'remote', scope: 'user', state: 'ready' }],
    },
    {
      title: 'reads the directory of its variable',
      files: { [`~/elsewhere/data/${FILE}`]: one('moved'), [`~/.cline/data/${FILE}`]: one('left') },
      env: { CLINE_DIR: '<home>/elsewhere' },
      expected: [{ name: 'moved', precedence: 20 }],
    },
    {
      title: 'prefers the variable for its data directory',
      files: { [`~/store/${FILE}`]: one('stored'), [`~/elsewhere/data/${FILE}`]: one('moved') },
      env: { CLINE_DATA_DIR: '<home>/store', CLINE_DIR: '<home>/elsewhere' },
      expected: [{ name: 'stored' }],
    },
    {
      title: 'prefers the variable for its file',
      files: { '~/servers.json': one('named'), [`~/store/${FILE}`]: one('stored') },
      env: {
        CLINE_MCP_SETTINGS_PATH: '<home>/servers.json',
        CLINE_DATA_DIR: '<home>/store',
        CLINE_DIR: '<home>/elsewhere',
      },
      expected: [{ name: 'named', source: '<home>/servers.json', precedence: 20 }],
    },
  ],
};
