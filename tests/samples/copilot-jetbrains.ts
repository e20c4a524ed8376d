import type { Platform } from '../support/machine.js';
import type { Samples } from './sample.js';

const file = (platform: Platform) =>
  `${platform === 'win32' ? '~/AppData/Local' : '~/.config'}/github-copilot/intellij/mcp.json`;

export const copilotJetbrains: Samples = {
  client: 'copilot-jetbrains',
  samples: [
    {
      title: 'reads the format of VS Code in its own directory',
      files: (platform) => ({
        [file(platform)]: `{
  "inputs": [{ "id": "key", "type": "promptString" }],
  "servers": {
    "local": { "command": "node", "args": ["\${env:LOCAL_ARG}"], "env": { "RETRIES": 3 } },
    "remote": {
      "url": "https://remote.example/mcp",
      "headers": { "X-Key": "\${input:key}", "X-Stage": "\${env:STAGE}" },
    },
  },
}`,
      }),
      env: { LOCAL_ARG: 'l' },
      expected: (platform) => [
        {
          name: 'local',
          client: 'copilot-jetbrains',
          scope: 'user',
          source: file(platform).replace('~', '<home>'),
          line: 4,
          state: 'ready',
          precedence: 10,
          args: ['l'],
          env: { RETRIES: '3' },
        },
        {
          name: 'remote',
          transport: 'http',
          state: 'needs-input',
          headers: { 'X-Key': '${input:key}', 'X-Stage': '' },
          inputs: [{ id: 'key', type: 'promptString' }],
          missing: ['STAGE'],
        },
      ],
      problems: ['missing-variable'],
    },
    {
      title: 'reads the file of the Xcode extension',
      platforms: ['darwin'],
      files: { '~/.config/github-copilot/xcode/mcp.json': '{"servers":{"xcode":{"command":"node"}}}' },
      expected: [{ name: 'xcode', scope: 'user', state: 'ready' }],
    },
    {
      title: 'does not read mcpServers',
      files: (platform) => ({ [file(platform)]: '{"mcpServers":{"lost":{"command":"node"}}}' }),
      expected: [{ name: 'lost', state: 'client-ignores' }],
      problems: ['wrong-key'],
    },
  ],
};
