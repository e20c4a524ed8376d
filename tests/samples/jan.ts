import type { Platform } from '../support/machine.js';
import type { Samples } from './sample.js';

const FILE: Readonly<Record<Platform, string>> = {
  darwin: '~/Library/Application Support/Jan/data/mcp_config.json',
  linux: '~/.local/share/Jan/data/mcp_config.json',
  win32: '~/AppData/Roaming/Jan/data/mcp_config.json',
};

export const jan: Samples = {
  client: 'jan',
  samples: [
    {
      title: 'reads servers with timeouts in seconds, and marks inactive ones as disabled',
      files: (platform) => ({
        [FILE[platform]]: `{
  "mcpServers": {
    "browser": { "command": "uvx", "args": ["server-browser"], "env": {}, "active": true, "official": true, "timeout": 30 },
    "shipped": { "command": "uvx", "args": ["server-shipped"], "active": false },
    "plain": { "type": "http", "url": "https://j.example/mcp", "headers": { "X-Team": "a" }, "timeout": 1.5 },
    "events": { "type": "sse", "url": "https://j.example/sse", "active": true }
  }
}`,
      }),
      expected: (platform) => [
        {
          name: 'browser',
          client: 'jan',
          scope: 'user',
          source: FILE[platform].replace('~', '<home>'),
          line: 3,
          transport: 'stdio',
          state: 'ready',
          args: ['server-browser'],
          env: {},
          timeoutMs: 30_000,
        },
        { name: 'shipped', line: 4, state: 'disabled', enabled: false },
        { name: 'plain', transport: 'http', headers: { 'X-Team': 'a' }, timeoutMs: 1500 },
        { name: 'events', transport: 'sse', state: 'ready' },
      ],
    },
  ],
};
