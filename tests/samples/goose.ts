import type { Platform } from '../support/machine.js';
import type { Samples } from './sample.js';

const CONFIG: Readonly<Record<Platform, string>> = {
  darwin: '~/.config/goose/config.yaml',
  linux: '~/.config/goose/config.yaml',
  win32: '~/AppData/Roaming/Block/goose/config/config.yaml',
};

const ONE = 'extensions:\n  one: { type: stdio, cmd: one-server, enabled: true }\n';

export const goose: Samples = {
  client: 'goose',
  samples: [
    {
      title: 'reads programs and URLs, skips built-in extensions, and reports SSE as unsupported',
      files: (platform) => ({
        [CONFIG[platform]]: `GOOSE_MODEL: x
extensions:
  files:
    type: stdio
    cmd: uvx
    args: [mcp-files, $HOME_FOLDER]
    envs: { MODE: ro, LEVEL: 3 }
    env_keys: [FILES_KEY]
    enabled: true
    timeout: 300
    description: Files
    available_tools: [read]
  far:
    type: streamable_http
    uri: https://far.example/\${TENANT}/mcp
    headers: { Authorization: Bearer $FAR_KEY, X-Other: $OUTSIDE }
    envs: { TENANT: acme }
    env_keys: [FAR_KEY]
    enabled: true
  off: { type: stdio, cmd: off-server, enabled: false }
  events: { type: sse, uri: "https://events.example/sse", enabled: true }
  developer: { type: builtin, name: developer, enabled: true }
  todo: { type: platform, name: todo, enabled: true }
  window: { type: frontend, name: window, enabled: true }
  script: { type: inline_python, code: "print()", enabled: true }
`,
      }),
      env: { FILES_KEY: 'f-1', FAR_KEY: 'k-1', OUTSIDE: 'not-seen', HOME_FOLDER: '/x' },
      expected: [
        {
          name: 'files',
          client: 'goose',
          scope: 'user',
          line: 3,
          transport: 'stdio',
          state: 'ready',
          command: 'uvx',
          args: ['mcp-files', '$HOME_FOLDER'],
          env: { MODE: 'ro', LEVEL: '3', FILES_KEY: 'f-1' },
          timeoutMs: 300_000,
          description: 'Files',
          tools: { allow: ['read'] },
          written: { env: { MODE: 'ro', FILES_KEY: '${FILES_KEY}' } },
        },
        {
          name: 'far',
          line: 13,
          transport: 'http',
          state: 'ready',
          url: 'https://far.example/acme/mcp',
          headers: { Authorization: 'Bearer k-1', 'X-Other': '$OUTSIDE' },
          missing: ['OUTSIDE'],
          written: { headers: { Authorization: 'Bearer $FAR_KEY' } },
        },
        { name: 'off', state: 'disabled', enabled: false },
        { name: 'events', transport: 'sse', state: 'client-ignores' },
      ],
      problems: ['missing-variable', 'unsupported-transport-for-client'],
    },
    {
      title: 'needs input for secrets in the keyring',
      files: (platform) => ({
        [CONFIG[platform]]: `extensions:
  local: { type: stdio, cmd: local-server, env_keys: [LOCAL_KEY] }
  far: { type: streamable_http, uri: "https://far.example/mcp", headers: { K: "\${FAR_KEY}" }, env_keys: [FAR_KEY] }
`,
      }),
      expected: [
        { name: 'local', state: 'needs-input', inputs: [{ id: 'LOCAL_KEY' }] },
        { name: 'far', state: 'needs-input', inputs: [{ id: 'FAR_KEY' }], headers: { K: '${FAR_KEY}' } },
      ],
    },
    {
      title: 'reads GOOSE_PATH_ROOT',
      files: (platform) => ({
        '~/moved/config/config.yaml': ONE,
        [CONFIG[platform]]: 'extensions: { x: { type: y } }',
      }),
      env: { GOOSE_PATH_ROOT: '<home>/moved' },
      expected: [{ name: 'one', source: '<home>/moved/config/config.yaml' }],
    },
    {
      title: 'reads XDG_CONFIG_HOME',
      platforms: ['linux'],
      files: { '~/xdg/goose/config.yaml': ONE },
      env: { XDG_CONFIG_HOME: '<home>/xdg' },
      expected: [{ name: 'one', source: '<home>/xdg/goose/config.yaml' }],
    },
    {
      title: 'ignores XDG_CONFIG_HOME',
      platforms: ['darwin'],
      files: { '~/.config/goose/config.yaml': ONE },
      env: { XDG_CONFIG_HOME: '<home>/xdg' },
      expected: [{ name: 'one', source: '<home>/.config/goose/config.yaml' }],
    },
    {
      title: 'skips only an invalid entry, and parses names as YAML 1.2',
      files: (platform) => ({
        [CONFIG[platform]]: `extensions:
  no-type: { cmd: x }
  odd: { type: telepathy, cmd: x }
  no-cmd: { type: stdio }
  no-uri: { type: streamable_http }
  deep: { type: stdio, cmd: x, envs: { A: { B: c } } }
  off: { type: stdio, cmd: server-called-off }
`,
      }),
      expected: [{ name: 'off', command: 'server-called-off', line: 7 }],
      problems: Array<string>(5).fill('invalid-entry'),
    },
  ],
};
