import { appData } from '../support/machine.js';
import type { Sample, Samples } from './sample.js';

const USER_FILE = `{
  // questions first
  "inputs": [
    { "type": "promptString", "id": "token", "description": "The token of the service", "password": true },
    { "type": "pickString", "id": "region", "description": "Where it runs", "options": ["eu", "us"] },
  ],
  "servers": {
    "plain": {
      "command": "node",
      "args": ["\${userHome}\${pathSeparator}server.js", "\${workspaceFolder}", "\${env:PLAIN_KEY}"],
      "cwd": "\${workspaceFolder}",
      "envFile": "\${workspaceFolder}/.env",
      "env": { "PORT": 8080, "NOTHING": null, "EMPTY": "[\${env:NOT_SET}]" },
      "dev": { "watch": "src/**" },
    },
    "asks": { "type": "stdio", "command": "node", "args": ["--region", "\${input:region}"] },
    "web": { "type": "http", "url": "https://web.example/mcp", "headers": { "Authorization": "Bearer \${input:token}" } },
    "events": { "type": "sse", "url": "https://events.example/sse" },
    "untyped": { "url": "https://untyped.example/mcp", "oauth": { "clientId": "me", "enterpriseManaged": true } },
    "socket": { "type": "http", "url": "unix:///run/server.sock" },
    "pipe": { "url": "pipe:///server" },
    "computed": { "command": "\${command:extension.serverPath}" },
  },
}`;

const user: Sample = {
  title: 'reads the user file: inputs, variables, numbers in env, sockets, and a URL without type as http',
  files: (platform) => ({ [appData(platform, 'Code/User/mcp.json')]: USER_FILE }),
  env: { PLAIN_KEY: 'p-1' },
  expected: (platform) => [
    {
      name: 'plain',
      client: 'vscode',
      scope: 'user',
      source: appData(platform, 'Code/User/mcp.json').replace('~', '<home>'),
      line: 8,
      transport: 'stdio',
      state: 'ready',
      enabled: true,
      precedence: 20,
      command: 'node',
      args: [`<home>${platform === 'win32' ? '\\' : '/'}server.js`, '<project>', 'p-1'],
      cwd: '<project>',
      envFile: '<project>/.env',
      env: { PORT: '8080', EMPTY: '[]' },
      missing: ['NOT_SET'],
      written: { command: 'node', cwd: '${workspaceFolder}', env: { PORT: '8080', EMPTY: '[${env:NOT_SET}]' } },
    },
    {
      name: 'asks',
      line: 16,
      state: 'needs-input',
      args: ['--region', '${input:region}'],
      inputs: [{ id: 'region', type: 'pickString', description: 'Where it runs' }],
    },
    {
      name: 'web',
      transport: 'http',
      state: 'needs-input',
      inputs: [{ id: 'token', type: 'promptString', description: 'The token of the service', password: true }],
    },
    { name: 'events', transport: 'sse', state: 'ready' },
    { name: 'untyped', transport: 'http', state: 'ready', oauth: { clientId: 'me', enterpriseManaged: true } },
    { name: 'socket', transport: 'http', url: 'unix:///run/server.sock', state: 'ready' },
    { name: 'pipe', transport: 'http', url: 'pipe:///server', state: 'ready' },
    { name: 'computed', state: 'needs-input', command: '${command:extension.serverPath}' },
  ],
  problems: ['missing-variable', 'command-substitution-not-run'],
};

const wrongKey: Sample = {
  title: 'does not read mcpServers in the user file',
  files: (platform) => ({
    [appData(platform, 'Code/User/mcp.json')]: '{"mcpServers":{"lost":{"command":"node","args":["lost.js"]}}}',
  }),
  expected: [{ name: 'lost', scope: 'user', state: 'client-ignores' }],
  problems: ['wrong-key'],
};

const otherKey: readonly Sample[] = [
  {
    title: 'reads mcpServers in the file of a project, with its inputs, as pending',
    files: {
      '<project>/.vscode/mcp.json': `{
  "inputs": [{ "id": "token", "type": "promptString", "password": true }],
  "mcpServers": {
    "local": { "command": "node", "args": ["\${workspaceFolder}/local.js"] },
    "web": { "type": "streamable-http", "url": "https://web.example/mcp", "headers": { "A": "\${input:token}" } },
  },
}`,
    },
    expected: [
      {
        name: 'local',
        client: 'vscode',
        scope: 'project',
        source: '<project>/.vscode/mcp.json',
        line: 4,
        state: 'pending-approval',
        transport: 'stdio',
        precedence: 30,
        args: ['<project>/local.js'],
      },
      { name: 'web', line: 5, state: 'pending-approval', transport: 'http', inputs: [{ id: 'token' }] },
    ],
    problems: ['wrong-key'],
  },
  {
    title: 'reads both keys in the file of a project, servers first',
    files: {
      '<project>/.vscode/mcp.json':
        '{"mcpServers":{"other":{"url":"https://other.example/mcp"},"both":{"command":"second"}},"servers":{"own":{"command":"node"},"both":{"command":"first"}}}',
    },
    expected: [
      { name: 'own', state: 'pending-approval' },
      { name: 'both', state: 'pending-approval', command: 'first' },
      { name: 'other', state: 'pending-approval', transport: 'http' },
      { name: 'both', state: 'pending-approval', command: 'second' },
    ],
    problems: ['wrong-key'],
  },
];

const profiles: Sample = {
  title: 'reads the files of the user and of each profile',
  files: (platform) => ({
    [appData(platform, 'Code/User/mcp.json')]: '{"servers":{"base":{"command":"node"}}}',
    [appData(platform, 'Code/User/profiles/-1a2b/mcp.json')]: '{"servers":{"first":{"command":"node"}}}',
    [appData(platform, 'Code/User/profiles/9f8e/mcp.json')]: '{"servers":{"second":{"command":"node"}}}',
    [appData(platform, 'Code/User/profiles/mcp.json')]: '{"servers":{"stray":{"command":"node"}}}',
  }),
  expected: [
    { name: 'base', scope: 'user', precedence: 20 },
    { name: 'first', scope: 'profile', state: 'ready', precedence: 20 },
    { name: 'second', scope: 'profile', state: 'ready' },
  ],
};

const legacy: Sample = {
  title: 'reads the settings of old versions, nested or with a dotted key, and reports that they moved',
  files: (platform) => ({
    [appData(platform, 'Code/User/settings.json')]: `{
  "editor.fontSize": 14, // nothing to do with servers
  "mcp": {
    "inputs": [{ "id": "key", "type": "promptString", "password": true }],
    "servers": { "nested": { "command": "node", "env": { "KEY": "\${input:key}" } } },
  },
  "mcp.inputs": [{ "id": "name", "type": "promptString" }],
  "mcp.servers": { "dotted": { "url": "https://dotted.example/\${input:name}" } },
}`,
  }),
  expected: [
    {
      name: 'nested',
      scope: 'user',
      line: 5,
      state: 'needs-input',
      precedence: 10,
      inputs: [{ id: 'key', type: 'promptString', password: true }],
    },
    {
      name: 'dotted',
      line: 8,
      transport: 'http',
      state: 'needs-input',
      inputs: [{ id: 'name', type: 'promptString' }],
    },
  ],
  problems: ['deprecated-location'],
};

const plainSettings: Sample = {
  title: 'reports no problem for settings without servers',
  files: (platform) => ({
    [appData(platform, 'Code/User/settings.json')]: '{"chat.mcp.discovery.enabled":true,"mcp":{"inputs":[]}}',
  }),
  expected: [],
};

const project: Sample = {
  title: 'marks servers of a project as pending, and those for a container as inventory',
  files: {
    '<project>/.vscode/mcp.json': '{"servers":{"own":{"command":"node","args":["${workspaceFolder}/own.js"]}}}',
    '<project>/.mcp.json':
      '{"mcpServers":{"shared":{"command":"node","args":["${HOME}","${env:HOME}"]},"vague":{"url":"https://vague.example/mcp"}}}',
    '<project>/team.code-workspace':
      '{"folders":[{"path":"."}],"settings":{"mcp":{"servers":{"team":{"command":"node"}}},"mcp.servers":{"dotted-team":{"command":"node"}}}}',
    '<project>/.devcontainer/devcontainer.json':
      '{"customizations":{"vscode":{"mcp":{"servers":{"inside":{"command":"inside-server"}}}}}}',
    '<project>/.devcontainer.json':
      '{"customizations":{"vscode":{"mcp":{"servers":{"inside-too":{"url":"http://localhost:9000/mcp"}}}}}}',
    '<project>/.devcontainer/python/devcontainer.json':
      '{\n  // one of several\n  "customizations": {"vscode":{"mcp":{"servers":{"inside-python":{"command":"uvx"}}}}},\n}',
  },
  expected: [
    {
      name: 'own',
      scope: 'project',
      state: 'pending-approval',
      source: '<project>/.vscode/mcp.json',
      precedence: 30,
      args: ['<project>/own.js'],
    },
    {
      name: 'shared',
      scope: 'project',
      state: 'pending-approval',
      source: '<project>/.mcp.json',
      precedence: 25,
      args: ['${HOME}', '${env:HOME}'],
    },
    { name: 'vague', transport: 'auto', state: 'pending-approval' },
    { name: 'team', scope: 'project', state: 'pending-approval', source: '<project>/team.code-workspace' },
    { name: 'dotted-team', state: 'pending-approval' },
    { name: 'inside', scope: 'project', state: 'inventory-only', precedence: 15 },
    { name: 'inside-too', state: 'inventory-only', transport: 'http', source: '<project>/.devcontainer.json' },
    { name: 'inside-python', state: 'inventory-only', line: 3 },
  ],
  env: { HOME: 'not looked at' },
  problems: ['url-without-type'],
};

const portable: Sample = {
  title: 'reads the directory of a portable editor instead of the home directory',
  files: (platform) => ({
    '~/portable/user-data/User/mcp.json': '{"servers":{"carried":{"command":"node"}}}',
    '~/portable/user-data/User/profiles/work/mcp.json': '{"servers":{"carried-too":{"command":"node"}}}',
    [appData(platform, 'Code/User/mcp.json')]: '{"servers":{"left-behind":{"command":"node"}}}',
  }),
  env: { VSCODE_PORTABLE: '<home>/portable' },
  expected: [
    { name: 'carried', scope: 'user', source: '<home>/portable/user-data/User/mcp.json' },
    { name: 'carried-too', scope: 'profile' },
  ],
};

const moved: readonly Sample[] = [
  {
    title: 'reads XDG_CONFIG_HOME',
    platforms: ['linux'],
    files: {
      '~/xdg/Code/User/mcp.json': '{"servers":{"xdg":{"command":"node"}}}',
      '~/xdg/Code/User/settings.json': '{"mcp":{"servers":{"old":{"command":"node"}}}}',
      '~/.config/Code/User/mcp.json': '{"servers":{"unread":{"command":"node"}}}',
    },
    env: { XDG_CONFIG_HOME: '<home>/xdg' },
    expected: [{ name: 'xdg' }, { name: 'old', precedence: 10 }],
    problems: ['deprecated-location'],
  },
  {
    title: 'reads APPDATA on another drive',
    platforms: ['win32'],
    files: { '/Roaming/Code/User/mcp.json': '{"servers":{"roaming":{"command":"node"}}}' },
    env: { appdata: 'D:\\Roaming' },
    expected: [{ name: 'roaming', source: '<root>/Roaming/Code/User/mcp.json' }],
  },
  {
    title: 'reads the user file of the remote host',
    platforms: ['linux'],
    files: { '~/.vscode-server/data/User/mcp.json': '{"servers":{"remote":{"command":"node"}}}' },
    expected: [{ name: 'remote', scope: 'user', state: 'ready', precedence: 20 }],
  },
  {
    title: 'has no remote host on other platforms',
    platforms: ['darwin', 'win32'],
    files: { '~/.vscode-server/data/User/mcp.json': '{"servers":{"remote":{"command":"node"}}}' },
    expected: [],
  },
];

const broken: Sample = {
  title: 'skips only an invalid entry or file',
  files: (platform) => ({
    [appData(platform, 'Code/User/mcp.json')]:
      '{"servers":{"bad":{"type":"carrier-pigeon","command":"node"},"empty":{},"good":{"command":"node"}}}',
    '<project>/.vscode/mcp.json': '{"servers": {',
    '<project>/.mcp.json': '{"mcpServers":{"other":{"command":"node"}}}',
  }),
  expected: [{ name: 'good' }, { name: 'other' }],
  problems: ['parse-error', 'invalid-entry', 'invalid-entry'],
};

export const vscode: Samples = {
  client: 'vscode',
  samples: [user, wrongKey, ...otherKey, profiles, legacy, plainSettings, project, portable, ...moved, broken],
};
