import type { Platform } from '../support/machine.js';
import type { Samples } from './sample.js';

const FOLDER: Readonly<Record<Platform, string>> = {
  linux: '~/.local/state/toolhive/runconfigs',
  darwin: '~/Library/Application Support/toolhive/runconfigs',
  win32: '~/AppData/Local/toolhive/runconfigs',
};

export const toolhive: Samples = {
  client: 'toolhive',
  samples: [
    {
      title: 'lists one inventory server for each run configuration',
      files: (platform) => ({
        [`${FOLDER[platform]}/fetch.json`]: `{
  "schema_version": "v0.1.0",
  "name": "fetch-server",
  "image": "acme/fetch:latest",
  "transport": "streamable-http"
}`,
        [`${FOLDER[platform]}/remote.json`]: '{"remote_url":"https://t.example/mcp"}',
        [`${FOLDER[platform]}/broken.json`]: '{',
      }),
      expected: (platform) => [
        {
          name: 'fetch-server',
          client: 'toolhive',
          scope: 'user',
          source: `${FOLDER[platform].replace('~', '<home>')}/fetch.json`,
          line: 3,
          state: 'inventory-only',
        },
        { name: 'remote', transport: 'auto', state: 'inventory-only', url: 'https://t.example/mcp' },
      ],
      problems: ['parse-error'],
    },
    {
      title: 'reads the XDG directory on every platform',
      files: { '~/.local/state/toolhive/runconfigs/a.json': '{"name":"a"}' },
      expected: [{ name: 'a', state: 'inventory-only' }],
    },
    {
      title: 'reads the variable for the state directory',
      files: { '~/state/toolhive/runconfigs/a.json': '{"name":"a"}' },
      env: { XDG_STATE_HOME: '~/state' },
      expected: [{ name: 'a', source: '<home>/state/toolhive/runconfigs/a.json' }],
    },
  ],
};
