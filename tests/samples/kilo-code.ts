import { appData, type Platform } from '../support/machine.js';
import type { Samples } from './sample.js';

const FILE = 'User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json';
const storage = (platform: Platform, editor = 'Code') => appData(platform, `${editor}/${FILE}`);
const local = (word: string) => ({ type: 'local', command: ['node', word] });

export const kiloCode: Samples = {
  client: 'kilo-code',
  samples: [
    {
      title: 'reads the format of OpenCode: command lists, environment, milliseconds, references in braces',
      files: {
        '~/.config/kilo/kilo.jsonc': `{
  "mcp": {
    "local": {
      "type": "local",
      "command": ["node", "{env:SET}", "[{env:UNSET}]"],
      "environment": { "KEY": "{file:keys/local}" },
      "timeout": 2500,
    },
    "remote": { "type": "remote", "url": "https://remote.example/mcp", "headers": { "X-A": "{env:SET}" } },
    "off": { "type": "local", "command": ["node"], "enabled": false },
    "vague": { "command": ["node"] }, // no type and nothing below that has one
  },
}`,
        '~/.config/kilo/keys/local': 'k-1\n',
      },
      env: { SET: 's' },
      expected: [
        {
          name: 'local',
          client: 'kilo-code',
          scope: 'user',
          line: 3,
          transport: 'stdio',
          state: 'ready',
          command: 'node',
          args: ['s', '[]'],
          env: { KEY: 'k-1' },
          timeoutMs: 2500,
          missing: ['UNSET'],
          written: { command: 'node', args: ['{env:SET}', '[{env:UNSET}]'], env: { KEY: '{file:keys/local}' } },
        },
        { name: 'remote', transport: 'auto', headers: { 'X-A': 's' } },
        { name: 'off', state: 'disabled', enabled: false },
      ],
      problems: ['missing-variable', 'invalid-entry'],
    },
    {
      title: 'merges its files, so that one with higher precedence can contain only changes',
      files: {
        '~/.config/kilo/config.json': JSON.stringify({ mcp: { a: local('1'), b: local('1') } }),
        '~/.config/kilo/kilo.json': JSON.stringify({ mcp: { a: { enabled: false } } }),
        '~/.config/kilo/opencode.json': JSON.stringify({ mcp: { c: local('3') } }),
        '~/.config/kilo/opencode.jsonc': JSON.stringify({ mcp: { d: local('4') } }),
        '<project>/kilo.json': JSON.stringify({ mcp: { b: { environment: { A: '1' } } } }),
        '<project>/kilo.jsonc': JSON.stringify({ mcp: { e: local('5') } }),
        '<project>/.kilo/kilo.json': JSON.stringify({ mcp: { b: { environment: { B: '2' } } } }),
        '<project>/.kilo/kilo.jsonc': JSON.stringify({ mcp: { f: local('6') } }),
      },
      expected: [
        { name: 'a', scope: 'user', state: 'ready' },
        { name: 'b', scope: 'user', args: ['1'] },
        { name: 'a', scope: 'user', state: 'disabled', args: ['1'], source: '<home>/.config/kilo/kilo.json' },
        { name: 'c', scope: 'user', args: ['3'] },
        { name: 'd', scope: 'user', args: ['4'] },
        { name: 'b', scope: 'project', state: 'ready', args: ['1'], env: { A: '1' } },
        { name: 'e', scope: 'project', args: ['5'] },
        { name: 'b', scope: 'project', args: ['1'], env: { A: '1', B: '2' } },
        { name: 'f', scope: 'project', args: ['6'] },
      ],
    },
    {
      title: 'reads the files of the version that was based on Roo Code, and does not merge both formats',
      files: (platform) => ({
        [storage(platform)]: JSON.stringify({
          mcpServers: {
            same: { command: 'node', args: ['extension'], timeout: 60, disabledTools: ['remove'] },
            untyped: { url: 'https://untyped.example/events', disabled: true },
          },
        }),
        [storage(platform, 'VSCodium')]:
          '{"mcpServers":{"codium":{"type":"streamable-http","url":"https://c.example/mcp"}}}',
        '~/.config/kilo/kilo.json': JSON.stringify({ mcp: { same: { ...local('user'), environment: { A: '1' } } } }),
        '<project>/.kilocode/mcp.json':
          '{"mcpServers":{"same":{"command":"node","args":["${env:SET}","${env:UNSET}"]}}}',
        '<project>/.kilo/mcp.json': '{"mcpServers":{"older":{"command":"node"}}}',
      }),
      env: { SET: 's' },
      expected: [
        {
          name: 'same',
          scope: 'user',
          precedence: 10,
          args: ['extension'],
          timeoutMs: 60_000,
          tools: { deny: ['remove'] },
        },
        { name: 'untyped', transport: 'sse', state: 'disabled' },
        { name: 'codium', transport: 'http', state: 'ready' },
        { name: 'same', scope: 'user', args: ['user'], env: { A: '1' } },
        { name: 'same', scope: 'project', state: 'ready', args: ['s', '${env:UNSET}'] },
        { name: 'older', scope: 'project' },
      ],
      problems: ['deprecated-location', 'deprecated-location', 'missing-variable'],
    },
    {
      title: 'reads its storage on the remote host',
      platforms: ['linux'],
      files: { [`~/.vscode-server/data/${FILE}`]: '{"mcpServers":{"remote":{"command":"node"}}}' },
      expected: [{ name: 'remote', scope: 'user' }],
    },
  ],
};
