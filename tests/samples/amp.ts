import type { Platform } from '../support/machine.js';
import { appData } from '../support/machine.js';
import type { Samples } from './sample.js';

const MANAGED: Readonly<Record<Platform, string>> = {
  darwin: '/Library/Application Support/ampcode/managed-settings.json',
  linux: '/etc/ampcode/managed-settings.json',
  win32: '/ProgramData/ampcode/managed-settings.json',
};

export const amp: Samples = {
  client: 'amp',
  samples: [
    {
      title: 'reads the key with a dot, from both file names, on every platform in ~/.config',
      files: {
        '~/.config/amp/settings.json': `{
  "amp.mcpServers": {
    "files": { "command": "node", "args": ["\${ROOT}/files.js"], "cwd": "/srv", "env": { "K": "$ROOT" }, "includeTools": ["read_*"] },
    "far": { "url": "https://far.example/mcp", "headers": { "K": "\${UNSET}" }, "oauth": { "clientId": "me" } },
    "off": { "command": "off", "disabled": true }
  },
  "amp": { "mcpServers": { "nested": { "command": "not-read" } } }
}`,
        '~/.config/amp/settings.jsonc': '{ "amp.mcpServers": { "more": { "command": "more", }, }, // end\n}',
      },
      env: { ROOT: '/r' },
      expected: [
        {
          name: 'files',
          client: 'amp',
          scope: 'user',
          line: 3,
          transport: 'stdio',
          state: 'ready',
          args: ['/r/files.js'],
          cwd: '/srv',
          env: { K: '$ROOT' },
          tools: { allow: ['read_*'] },
          precedence: 10,
        },
        { name: 'far', transport: 'auto', missing: ['UNSET'], oauth: { clientId: 'me' } },
        { name: 'off', state: 'disabled', enabled: false },
        { name: 'more', source: '<home>/.config/amp/settings.jsonc' },
      ],
      problems: ['missing-variable'],
    },
    {
      title: 'also reads the settings of the editor',
      files: (platform) => ({
        [appData(platform, 'Code/User/settings.json')]: '{"amp.mcpServers":{"editor":{"command":"editor-server"}}}',
      }),
      expected: [{ name: 'editor', scope: 'user', state: 'ready' }],
    },
    {
      title: 'marks servers of a project as pending, and reads managed servers',
      files: (platform) => ({
        '<project>/.amp/settings.json': '{"amp.mcpServers":{"own":{"command":"own"}}}',
        '<project>/.amp/settings.jsonc': '{"amp.mcpServers":{"own":{"command":"own-c"}}}',
        [MANAGED[platform]]: '{"amp.mcpServers":{"top":{"command":"top"}}}',
      }),
      expected: (platform) => [
        { name: 'own', command: 'own', scope: 'project', state: 'pending-approval', precedence: 20 },
        { name: 'own', command: 'own-c', scope: 'project', state: 'pending-approval' },
        { name: 'top', scope: 'managed', state: 'ready', source: `<root>${MANAGED[platform]}`, precedence: 100 },
      ],
    },
    {
      title: 'applies the rules for servers: managed rules first, and the first match decides',
      files: (platform) => ({
        [MANAGED[platform]]: `{"amp.mcpPermissions":[
{"matches":{"url":"https://good.example/*"},"action":"allow"},{"matches":{"command":"bad-*"},"action":"reject"}]}`,
        '~/.config/amp/settings.json': `{ "amp.mcpPermissions": [
  { "matches": { "command": "bad-*" }, "action": "allow" },
  { "matches": { "command": "node", "args": "*--danger*" }, "action": "reject" },
  { "matches": { "url": "*" }, "action": "reject" } ],
"amp.mcpServers": {
  "good": { "url": "https://good.example/mcp" }, "other": { "url": "https://other.example/mcp" },
  "bad": { "command": "bad-server" }, "node": { "command": "node", "args": ["a.js"] },
  "danger": { "command": "node", "args": ["a.js", "--danger", "now"] } } }`,
        '<project>/.amp/settings.json': '{"amp.mcpServers":{"own":{"command":"bad-own"}}}',
      }),
      expected: [
        { name: 'good', state: 'ready' },
        { name: 'other', state: 'blocked-by-policy' },
        { name: 'bad', state: 'blocked-by-policy' },
        { name: 'node', state: 'ready' },
        { name: 'danger', state: 'blocked-by-policy' },
        { name: 'own', scope: 'project', state: 'blocked-by-policy' },
      ],
    },
  ],
};
