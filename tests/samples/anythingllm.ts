import { appData } from '../support/machine.js';
import type { Samples } from './sample.js';

const FILE = 'plugins/anythingllm_mcp_servers.json';

export const anythingllm: Samples = {
  client: 'anythingllm',
  samples: [
    {
      title: 'reads servers, and marks those without autoStart as disabled',
      files: (platform) => ({
        [appData(platform, `anythingllm-desktop/storage/${FILE}`)]: JSON.stringify({
          mcpServers: {
            files: {
              command: 'node',
              args: ['files.js'],
              env: { LEVEL: 'debug' },
              anythingllm: { autoStart: true, suppressedTools: ['remove'] },
            },
            resting: { command: 'node', anythingllm: { autoStart: false } },
            events: { url: 'https://l.example/sse', headers: { 'X-Team': 'a' } },
            plain: { type: 'streamable', url: 'https://l.example/mcp' },
            web: { type: 'http', url: 'https://l.example/web' },
            named: { type: 'sse', url: 'https://l.example/named' },
          },
        }),
      }),
      expected: [
        {
          name: 'files',
          client: 'anythingllm',
          scope: 'user',
          transport: 'stdio',
          state: 'ready',
          env: { LEVEL: 'debug' },
          tools: { deny: ['remove'] },
        },
        { name: 'resting', state: 'disabled', enabled: false },
        { name: 'events', transport: 'sse', headers: { 'X-Team': 'a' } },
        { name: 'plain', transport: 'http' },
        { name: 'web', transport: 'http' },
        { name: 'named', transport: 'sse' },
      ],
    },
    {
      title: 'reads only the directory of the variable',
      files: (platform) => ({
        [appData(platform, `anythingllm-desktop/storage/${FILE}`)]: '{"mcpServers":{"desktop":{"command":"node"}}}',
        [`~/storage/${FILE}`]: '{"mcpServers":{"moved":{"command":"node"}}}',
      }),
      env: { STORAGE_DIR: '~/storage' },
      expected: [{ name: 'moved', source: `<home>/storage/${FILE}` }],
    },
  ],
};
