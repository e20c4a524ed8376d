import { appData } from '../support/machine.js';
import type { Samples } from './sample.js';

export const vscodium: Samples = {
  client: 'vscodium',
  samples: [
    {
      title: 'reads its own user directory and profiles',
      files: (platform) => ({
        [appData(platform, 'VSCodium/User/mcp.json')]:
          '{"servers":{"free":{"command":"node","args":["${userHome}"]},"old":{"type":"sse","url":"https://old.example/sse"}}}',
        [appData(platform, 'VSCodium/User/profiles/work/mcp.json')]:
          '{"servers":{"work":{"command":"node","env":{"KEY":"${input:key}"}}}}',
        [appData(platform, 'Code/User/mcp.json')]: '{"servers":{"other":{"command":"node"}}}',
      }),
      expected: [
        { name: 'free', client: 'vscodium', scope: 'user', state: 'ready', precedence: 20, args: ['<home>'] },
        { name: 'old', transport: 'sse', state: 'ready' },
        // The input is not declared, but still required.
        { name: 'work', scope: 'profile', state: 'needs-input', inputs: [{ id: 'key' }] },
      ],
    },
    {
      title: 'does not read mcpServers, also in a portable copy',
      files: { '~/portable/user-data/User/mcp.json': '{"mcpServers":{"lost":{"command":"node"}}}' },
      env: { VSCODE_PORTABLE: '<home>/portable' },
      expected: [{ name: 'lost', client: 'vscodium', state: 'client-ignores' }],
      problems: ['wrong-key'],
    },
  ],
};
