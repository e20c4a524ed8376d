import type { Platform } from '../support/machine.js';
import type { Samples } from './sample.js';

const SYSTEM: Readonly<Record<Platform, string>> = {
  darwin: '/Library/Application Support/GeminiCli',
  linux: '/etc/gemini-cli',
  win32: '/ProgramData/gemini-cli',
};

const OWN = '{"mcpServers":{"own":{"command":"own-server"}}}';
const FOLDER_TRUST = '{"security":{"folderTrust":{"enabled":true}}}';

export const geminiCli: Samples = {
  client: 'gemini-cli',
  samples: [
    {
      title: 'reads every entry format, from a file with comments',
      files: {
        '~/.gemini/settings.json': `{
  // by hand
  "mcpServers": {
    "files": { "command": "node", "args": ["files.js"], "cwd": "./sub", "timeout": 5000, "trust": true,
      "includeTools": ["read"], "excludeTools": ["write"], "description": "Files" },
    "stream": { "httpUrl": "https://stream.example/mcp", "headers": { "X-A": "1" } },
    "either": { "url": "https://either.example/mcp", "oauth": { "enabled": true, "clientId": "me" } },
    "named": { "url": "https://named.example/mcp", "type": "http" },
    "events": { "url": "https://events.example/sse", "type": "sse" },
    "socket": { "tcp": "localhost:7000" },
    "two": { "httpUrl": "https://two.example/mcp", "url": "https://two.example/sse" },
    "three": { "command": "three", "url": "https://three.example/mcp" },
    "none": { "trust": true },
  },
}`,
      },
      expected: [
        {
          name: 'files',
          client: 'gemini-cli',
          scope: 'user',
          line: 4,
          transport: 'stdio',
          state: 'ready',
          command: 'node',
          cwd: './sub',
          timeoutMs: 5000,
          tools: { allow: ['read'], deny: ['write'] },
          description: 'Files',
          precedence: 20,
        },
        { name: 'stream', line: 6, transport: 'http', headers: { 'X-A': '1' } },
        { name: 'either', transport: 'auto', oauth: { enabled: true, clientId: 'me' } },
        { name: 'named', transport: 'http' },
        { name: 'events', transport: 'sse' },
        { name: 'socket', transport: 'ws', url: 'ws://localhost:7000' },
        { name: 'two', transport: 'http', url: 'https://two.example/mcp' },
        { name: 'three', transport: 'auto', url: 'https://three.example/mcp' },
      ],
      problems: ['ambiguous-entry', 'ambiguous-entry', 'invalid-entry'],
    },
    {
      title: 'expands variables in every field, and the Windows syntax only on Windows and in env',
      files: {
        '~/.gemini/settings.json': `{ "mcpServers": { "all": {
  "command": "$BIN/run", "args": ["\${MODE:-fast}", "%MODE%", "$UNSET"], "cwd": "\${BIN}",
  "env": { "A": "%BIN%", "B": "\${MODE}" } },
  "far": { "httpUrl": "https://$HOST_NAME/mcp", "headers": { "X": "%BIN%" } } } }`,
      },
      env: { BIN: '/opt/bin', HOST_NAME: 'far.example' },
      expected: (platform) => [
        {
          name: 'all',
          command: '/opt/bin/run',
          args: ['fast', '%MODE%', '$UNSET'],
          cwd: '/opt/bin',
          env: { A: platform === 'win32' ? '/opt/bin' : '%BIN%', B: '${MODE}' },
          missing: ['MODE', 'UNSET'],
          state: 'ready',
          written: { command: '$BIN/run', env: { A: '%BIN%', B: '${MODE}' } },
        },
        { name: 'far', url: 'https://far.example/mcp', headers: { X: '%BIN%' } },
      ],
      problems: ['missing-variable', 'missing-variable'],
    },
    {
      title: 'reads GEMINI_CLI_HOME',
      files: {
        '~/moved/.gemini/settings.json': OWN,
        '~/.gemini/settings.json': '{"mcpServers":{"x":{"command":"x"}}}',
      },
      env: { GEMINI_CLI_HOME: '<home>/moved' },
      expected: [{ name: 'own', source: '<home>/moved/.gemini/settings.json' }],
    },
    {
      title: 'disables servers with the lists and flags of the user',
      files: {
        '~/.gemini/settings.json': `{ "mcp": { "allowed": ["one", "two", "three"], "excluded": ["two"] },
"mcpServers": { "one": { "command": "a" }, "two": { "command": "b" }, "Three": { "command": "c" }, "three": { "command": "d" } } }`,
        '~/.gemini/mcp-server-enablement.json': '{"three":{"enabled":false},"one":{"enabled":true}}',
      },
      expected: [
        { name: 'one', state: 'ready', enabled: true },
        { name: 'two', state: 'disabled', enabled: false },
        { name: 'Three', state: 'disabled' },
        { name: 'three', state: 'disabled' },
      ],
    },
    {
      title: 'reads both files of the system, and applies their lists as policy',
      files: (platform) => ({
        [`${SYSTEM[platform]}/settings.json`]: '{"mcp":{"excluded":["bad"]},"mcpServers":{"top":{"command":"top"}}}',
        [`${SYSTEM[platform]}/system-defaults.json`]: '{"mcpServers":{"bottom":{"command":"bottom"}}}',
        '~/.gemini/settings.json': '{"mcpServers":{"bad":{"command":"bad"}}}',
      }),
      expected: (platform) => [
        { name: 'bad', scope: 'user', state: 'blocked-by-policy' },
        { name: 'top', scope: 'managed', source: `<root>${SYSTEM[platform]}/settings.json`, precedence: 100 },
        { name: 'bottom', scope: 'managed', source: `<root>${SYSTEM[platform]}/system-defaults.json`, precedence: 1 },
      ],
    },
    {
      title: 'reads the variables for the files of the system',
      files: {
        '~/sys.json': '{"mcpServers":{"top":{"command":"top"}}}',
        '~/def.json': '{"mcpServers":{"bottom":{"command":"bottom"}}}',
      },
      env: { GEMINI_CLI_SYSTEM_SETTINGS_PATH: '<home>/sys.json', GEMINI_CLI_SYSTEM_DEFAULTS_PATH: '<home>/def.json' },
      expected: [
        { name: 'top', scope: 'managed', source: '<home>/sys.json' },
        { name: 'bottom', scope: 'managed', source: '<home>/def.json' },
      ],
    },
    {
      title: 'reads servers of a project without folder trust',
      files: { '<project>/.gemini/settings.json': OWN },
      expected: [{ name: 'own', scope: 'project', state: 'ready', precedence: 30 }],
    },
    {
      title: 'marks servers of a project as pending with folder trust and without a decision',
      files: { '<project>/.gemini/settings.json': OWN, '~/.gemini/settings.json': FOLDER_TRUST },
      expected: [{ name: 'own', state: 'pending-approval' }],
    },
    {
      title: 'reads servers of a project below a trusted directory',
      files: {
        '<project>/.gemini/settings.json': OWN,
        '~/.gemini/settings.json': FOLDER_TRUST,
        '~/.gemini/trustedFolders.json': '{"<project>/other":"TRUST_PARENT"}',
      },
      expected: [{ name: 'own', state: 'ready' }],
    },
    {
      title: 'rejects servers of a project in an untrusted directory, also if its own file trusts it',
      files: {
        '<project>/.gemini/settings.json':
          '{"security":{"folderTrust":{"enabled":false}},"mcpServers":{"own":{"command":"own-server"}}}',
        '~/.gemini/settings.json': FOLDER_TRUST,
        '~/.gemini/trustedFolders.json': '{"<project>":"DO_NOT_TRUST"}',
      },
      expected: [{ name: 'own', state: 'rejected' }],
    },
    {
      title:
        'reads extensions with their directory, separator and settings, enabled unless disabled for this directory',
      files: {
        '~/.gemini/extensions/on/gemini-extension.json': `{ "name": "on", "mcpServers": { "ext": {
  "command": "node", "args": ["\${extensionPath}\${/}server.js", "\${workspacePath}"], "env": { "KEY": "$EXT_KEY" } } } }`,
        '~/.gemini/extensions/on/.env': '# asked for at installation\nEXT_KEY="from the file"\n',
        '~/.gemini/extensions/off/gemini-extension.json': '{"mcpServers":{"ext-off":{"command":"x"}}}',
        '~/.gemini/extensions/again/gemini-extension.json': '{"mcpServers":{"ext-again":{"command":"x"}}}',
        '~/.gemini/extensions/extension-enablement.json': `{
  "on": { "overrides": ["!<project>/below/"] },
  "off": { "overrides": ["!<home>/*", "!<project>/*"] },
  "again": { "overrides": ["!/*", "<project>/"] } }`,
      },
      expected: (platform) => [
        { name: 'ext-again', state: 'ready' },
        { name: 'ext-off', scope: 'extension', state: 'disabled', enabled: false },
        {
          name: 'ext',
          scope: 'extension',
          state: 'ready',
          args: [`<home>/.gemini/extensions/on${platform === 'win32' ? '\\' : '/'}server.js`, '<project>'],
          env: { KEY: 'from the file' },
          precedence: 10,
          written: { env: { KEY: '$EXT_KEY' } },
        },
      ],
    },
  ],
};
