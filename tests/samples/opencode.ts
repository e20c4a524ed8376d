import type { Samples } from './sample.js';

const local = (command: string) => JSON.stringify({ mcp: { shared: { type: 'local', command: [command] } } });

export const opencode: Samples = {
  client: 'opencode',
  samples: [
    {
      title: 'merges the three files of the user, on every platform in ~/.config',
      files: {
        '~/.config/opencode/config.json': local('first'),
        '~/.config/opencode/opencode.json': local('second'),
        '~/.config/opencode/opencode.jsonc': `{
  // comments and trailing commas are fine
  "mcp": {
    "shared": { "type": "local", "command": ["third", "--flag", 7], "environment": { "MODE": "x" }, "cwd": "/srv" },
    "far": {
      "type": "remote", "url": "https://far.example/mcp", "headers": { "X-Key": "k" }, "timeout": 9000,
      "oauth": { "clientId": "me", "scope": "read" },
    },
    "off": { "type": "remote", "url": "https://off.example/mcp", "enabled": false, "oauth": false },
  },
}`,
      },
      expected: [
        { name: 'shared', command: 'first', args: [], precedence: 10 },
        { name: 'shared', command: 'second', source: '<home>/.config/opencode/opencode.json' },
        {
          name: 'shared',
          client: 'opencode',
          scope: 'user',
          source: '<home>/.config/opencode/opencode.jsonc',
          line: 4,
          transport: 'stdio',
          state: 'ready',
          enabled: true,
          command: 'third',
          args: ['--flag', '7'],
          env: { MODE: 'x' },
          cwd: '/srv',
        },
        {
          name: 'far',
          line: 5,
          transport: 'auto',
          url: 'https://far.example/mcp',
          headers: { 'X-Key': 'k' },
          timeoutMs: 9000,
          oauth: { clientId: 'me', scope: 'read' },
        },
        { name: 'off', transport: 'auto', state: 'disabled', enabled: false },
      ],
    },
    {
      title:
        'reads XDG_CONFIG_HOME, and the extra file, the extra directory and the inline text with higher precedence',
      files: {
        '~/xdg/opencode/opencode.json': local('user'),
        '~/.config/opencode/opencode.json': local('not-read'),
        '~/extra.json': local('extra-file'),
        '~/.opencode/opencode.json': local('dot-folder'),
        '~/more/opencode.jsonc': local('extra-folder'),
        '~/token': 't-1\n',
      },
      env: {
        XDG_CONFIG_HOME: '<home>/xdg',
        OPENCODE_CONFIG: '<home>/extra.json',
        OPENCODE_CONFIG_DIR: '<home>/more',
        OPENCODE_CONFIG_CONTENT:
          '{"mcp":{"inline":{"type":"local","command":["inline"],"enabled":{env:ON},"environment":{"T":"{file:~/token}"}}}}',
        ON: 'true',
      },
      expected: [
        { command: 'user', scope: 'user', source: '<home>/xdg/opencode/opencode.json' },
        { command: 'extra-file', scope: 'user', source: '<home>/extra.json', precedence: 15 },
        { command: 'dot-folder', scope: 'user', source: '<home>/.opencode/opencode.json', precedence: 30 },
        { command: 'extra-folder', scope: 'user', source: '<home>/more/opencode.jsonc' },
        { name: 'inline', scope: 'dynamic', source: 'env:OPENCODE_CONFIG_CONTENT', state: 'ready', env: { T: 't-1' } },
      ],
    },
    {
      title: 'reads servers of a project without approval by the client',
      files: {
        '<project>/opencode.json': local('project'),
        '<project>/.opencode/opencode.jsonc': local('dot-project'),
      },
      expected: [
        { command: 'project', scope: 'project', state: 'ready', source: '<project>/opencode.json', precedence: 20 },
        { command: 'dot-project', scope: 'project', state: 'ready', source: '<project>/.opencode/opencode.jsonc' },
      ],
    },
    {
      title: 'skips projects with OPENCODE_DISABLE_PROJECT_CONFIG',
      files: { '<project>/opencode.json': local('project'), '<project>/.opencode/opencode.json': local('dot') },
      env: { OPENCODE_DISABLE_PROJECT_CONFIG: '1' },
      expected: [],
    },
    {
      title: 'merges a file that contains only changes with those of lower precedence',
      files: {
        '~/.config/opencode/opencode.json': `{"mcp":{
"docs":{"type":"remote","url":"https://docs.example/mcp","headers":{"A":"{file:token}","B":"2"}},
"files":{"type":"local","command":["node","files.js"],"environment":{"ROOT":"/a","MODE":"ro"}}}}`,
        '~/.config/opencode/token': 'from-the-lower-folder',
        '<project>/opencode.json':
          '{"mcp":{"docs":{"headers":{"B":"3"}},"files":{"enabled":false,"environment":{"MODE":"rw"}}}}',
        '<project>/.opencode/opencode.json': '{"mcp":{"files":{"enabled":true,"command":["deno","run","files.ts"]}}}',
      },
      expected: [
        { name: 'docs', state: 'ready', headers: { A: 'from-the-lower-folder', B: '2' } },
        { name: 'files', state: 'ready', env: { ROOT: '/a', MODE: 'ro' } },
        {
          name: 'docs',
          source: '<project>/opencode.json',
          transport: 'auto',
          url: 'https://docs.example/mcp',
          headers: { A: 'from-the-lower-folder', B: '3' },
        },
        { name: 'files', state: 'disabled', enabled: false, command: 'node', env: { ROOT: '/a', MODE: 'rw' } },
        { name: 'files', state: 'ready', command: 'deno', args: ['run', 'files.ts'], env: { ROOT: '/a', MODE: 'rw' } },
      ],
    },
    {
      title: 'reads the second format, which has mcp.servers',
      files: {
        '~/.config/opencode/opencode.json': `{ "mcp": { "servers": {
  "new": { "type": "local", "command": ["new-server"], "timeout": { "startup": 4000, "request": 8000 } },
  "off": { "type": "remote", "url": "https://off.example/mcp", "disabled": true, "oauth": { "client_id": "me" } }
} } }`,
        '<project>/opencode.json': '{"mcp":{"servers":{"type":"local","command":["a-server-called-servers"]}}}',
      },
      expected: [
        { name: 'new', line: 2, command: 'new-server', timeoutMs: 8000, startupTimeoutMs: 4000 },
        { name: 'off', line: 3, state: 'disabled', enabled: false, oauth: { client_id: 'me' } },
        { name: 'servers', scope: 'project', command: 'a-server-called-servers' },
      ],
    },
    {
      title: 'expands references in strings, numbers and flags; a missing variable is empty',
      files: {
        '~/.config/opencode/opencode.json': `{ "mcp": { "all": {
  "type": "local", "command": ["{env:PROGRAM}", "--key={file:keys/one}"],
  "environment": { "A": "{env:SET}/{env:UNSET}", "B": "{file:~/two}", "C": "{file:<home>/two}" },
  "cwd": "{env:SET}", "enabled": {env:ON}, "timeout": {file:keys/limit}
} /* {env:NOT_A_REFERENCE} */ } }`,
        '~/.config/opencode/keys/one': ' k-1 \n',
        '~/.config/opencode/keys/limit': '7000\n',
        '~/two': 'say "two"',
      },
      env: { PROGRAM: 'node', SET: 's', ON: 'false' },
      expected: [
        {
          name: 'all',
          state: 'disabled',
          command: 'node',
          args: ['--key=k-1'],
          env: { A: 's/', B: 'say "two"', C: 'say "two"' },
          cwd: 's',
          timeoutMs: 7000,
          missing: ['UNSET'],
          written: {
            command: '{env:PROGRAM}',
            args: ['--key={file:keys/one}'],
            env: { A: '{env:SET}/{env:UNSET}', B: '{file:~/two}' },
            cwd: '{env:SET}',
          },
        },
      ],
      problems: ['missing-variable'],
    },
    {
      title: 'reads managed settings with the highest precedence',
      files: (platform) => ({
        [{
          darwin: '/Library/Application Support/opencode/opencode.json',
          linux: '/etc/opencode/opencode.json',
          win32: '/ProgramData/opencode/opencode.jsonc',
        }[platform]]: local('managed'),
      }),
      expected: [{ name: 'shared', scope: 'managed', state: 'ready', command: 'managed' }],
    },
    {
      title: 'skips only an invalid entry',
      files: {
        '~/.config/opencode/opencode.json': `{"mcp":{
"no-type":{"command":["x"]},"lonely":{"enabled":false},"words":{"type":"local","command":[]},
"no-url":{"type":"remote"},"odd":{"type":"stdio","command":["x"]},"list":[],
"good":{"type":"local","command":["good"]}}}`,
      },
      expected: [{ name: 'good', line: 4 }],
      problems: Array<string>(6).fill('invalid-entry'),
    },
  ],
};
