import { appData } from '../support/machine.js';
import type { Samples } from './sample.js';

const PACKAGE = '~/AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude';

const filesystemManifest = {
  manifest_version: '0.3',
  name: 'filesystem',
  description: 'Reads and writes files',
  server: {
    type: 'node',
    entry_point: 'server/index.js',
    mcp_config: {
      command: 'node',
      args: ['${__dirname}/server/index.js', '--log', '${DOCUMENTS}${/}log.txt', '${user_config.folders}'],
      env: { LEVEL: '${user_config.level}', CACHE: '${HOME}/.cache', MODE: 'common' },
      platform_overrides: {
        win32: { command: 'node.exe', env: { MODE: 'windows' } },
        darwin: { args: ['${__dirname}/server/mac.js', '${user_config.folders}'] },
      },
    },
  },
  user_config: {
    folders: { type: 'directory', title: 'Folders', multiple: true, default: ['${HOME}/Desktop'] },
    level: { type: 'string', title: 'Level', default: 'info' },
  },
};

const searchManifest = {
  name: 'search',
  server: {
    type: 'python',
    mcp_config: { command: 'uv', args: ['run', '${__dirname}/main.py'], env: { API_KEY: '${user_config.api_key}' } },
  },
  user_config: {
    api_key: { type: 'string', title: 'API key', description: 'From your account page', sensitive: true },
  },
};

const log = (platform: string) => (platform === 'win32' ? '\\log.txt' : '/log.txt');

export const claudeDesktop: Samples = {
  client: 'claude-desktop',
  samples: [
    {
      title: 'reads programs from a file with other settings, without expansion',
      files: (platform) => ({
        [appData(platform, 'Claude/claude_desktop_config.json')]: `\uFEFF{
  "globalShortcut": "Alt+Space", // the file is the app's settings as well
  "mcpServers": {
    "memory": {
      "command": "docker",
      "args": ["run", "-i", "--rm", "\${IMAGE}"],
      "env": { "MEMORY_FILE": "\${HOME}/memory.json", "RETRIES": 3 },
    },
    "plain": { "command": "/opt/plain/server" },
  },
}`,
      }),
      env: { IMAGE: 'never used' },
      expected: (platform) => [
        {
          name: 'memory',
          client: 'claude-desktop',
          scope: 'user',
          source: appData(platform, 'Claude/claude_desktop_config.json').replace('~', '<home>'),
          line: 4,
          transport: 'stdio',
          state: 'ready',
          enabled: true,
          command: 'docker',
          args: ['run', '-i', '--rm', '${IMAGE}'],
          env: { MEMORY_FILE: '${HOME}/memory.json', RETRIES: '3' },
        },
        { name: 'plain', line: 9, state: 'ready', command: '/opt/plain/server', args: [] },
      ],
      problems: ['reference-not-expanded'],
    },
    {
      title: 'skips URLs, which the app does not support in this file',
      files: (platform) => ({
        [appData(platform, 'Claude/claude_desktop_config.json')]: JSON.stringify({
          mcpServers: {
            far: { url: 'https://far.example/mcp' },
            typed: { type: 'http', url: 'https://typed.example/mcp' },
            near: { command: 'near-server' },
          },
        }),
      }),
      expected: [
        { name: 'far', transport: 'auto', state: 'client-ignores' },
        { name: 'typed', transport: 'http', state: 'client-ignores' },
        { name: 'near', transport: 'stdio', state: 'ready' },
      ],
      problems: ['unsupported-transport-for-client', 'unsupported-transport-for-client'],
    },
    {
      title: 'reports no problem for a file without servers',
      files: (platform) => ({ [appData(platform, 'Claude/claude_desktop_config.json')]: '{"globalShortcut":""}' }),
      expected: [],
    },
    {
      title: 'reads the directories of the environment variables',
      platforms: ['linux', 'win32'],
      files: (platform) => {
        const folder = platform === 'linux' ? '<project>/xdg' : '<project>/roaming';
        return { [`${folder}/Claude/claude_desktop_config.json`]: '{"mcpServers":{"moved":{"command":"moved"}}}' };
      },
      env: { XDG_CONFIG_HOME: '<project>/xdg', APPDATA: '<project>/roaming' },
      expected: [{ name: 'moved', state: 'ready' }],
    },
    {
      title: 'reads one server from each extension, with the platform overrides and the defaults of user_config',
      files: (platform) => ({
        [appData(platform, 'Claude/Claude Extensions/ant.dir.fs/manifest.json')]: JSON.stringify(filesystemManifest),
      }),
      expected: (platform) => {
        const folder = `<home>${appData(platform, 'Claude/Claude Extensions/ant.dir.fs').slice(1)}`;
        const common = [`${folder}/server/index.js`, '--log', `<home>/Documents${log(platform)}`];
        return [
          {
            name: 'filesystem',
            scope: 'extension',
            source: `${folder}/manifest.json`,
            transport: 'stdio',
            state: 'ready',
            enabled: true,
            description: 'Reads and writes files',
            command: platform === 'win32' ? 'node.exe' : 'node',
            args: [...(platform === 'darwin' ? [`${folder}/server/mac.js`] : common), '<home>/Desktop'],
            env: { LEVEL: 'info', CACHE: '<home>/.cache', MODE: platform === 'win32' ? 'windows' : 'common' },
          },
        ];
      },
    },
    {
      title: 'reads user_config values from the settings of the extensions, and does not reveal them',
      platforms: ['linux'],
      files: {
        '~/.config/Claude/Claude Extensions/ant.dir.fs/manifest.json': JSON.stringify(filesystemManifest),
        '~/.config/Claude/Claude Extensions Settings/ant.dir.fs.json': `{
  // written by the app
  "isEnabled": true,
  "userConfig": { "folders": ["/data/one", "/data/\${HOME}"], "level": "debug" },
}`,
      },
      expected: [
        {
          name: 'filesystem',
          state: 'ready',
          args: [
            '<home>/.config/Claude/Claude Extensions/ant.dir.fs/server/index.js',
            '--log',
            '<home>/Documents/log.txt',
            '/data/one',
            '/data/${HOME}',
          ],
          env: { LEVEL: 'debug', CACHE: '<home>/.cache', MODE: 'common' },
          written: {
            command: 'node',
            args: [
              '${__dirname}/server/index.js',
              '--log',
              '${DOCUMENTS}${/}log.txt',
              '${user_config.folders.0}',
              '${user_config.folders.1}',
            ],
            env: { LEVEL: '${user_config.level}', CACHE: '${HOME}/.cache', MODE: 'common' },
          },
        },
      ],
    },
    {
      title: 'needs input for an encrypted secret, and marks disabled extensions',
      files: (platform) => {
        const folder = (name: string) => appData(platform, `Claude/Claude Extensions/${name}/manifest.json`);
        const settings = (name: string) => appData(platform, `Claude/Claude Extensions Settings/${name}.json`);
        return {
          [folder('a-keychain')]: JSON.stringify(searchManifest),
          [settings('a-keychain')]: '{"isEnabled":true,"userConfig":{}}',
          [folder('b-sealed')]: JSON.stringify(searchManifest),
          [settings('b-sealed')]: '{"isEnabled":true,"userConfig":{"api_key":"__encrypted__:djEwAAAA"}}',
          [folder('c-off')]: JSON.stringify({ ...searchManifest, name: '', user_config: {} }),
          [settings('c-off')]: '{"isEnabled":false,"userConfig":{"api_key":"k"}}',
          [folder('d-broken')]: '{"name":"d","server":{"type":"node"}}',
        };
      },
      expected: [
        {
          name: 'search',
          state: 'needs-input',
          env: { API_KEY: '${user_config.api_key}' },
          inputs: [{ id: 'api_key', type: 'string', description: 'From your account page', password: true }],
        },
        { name: 'search', state: 'needs-input', env: { API_KEY: '${user_config.api_key}' } },
        { name: 'c-off', state: 'disabled', enabled: false, env: { API_KEY: 'k' } },
      ],
      problems: ['invalid-entry'],
    },
    {
      title: 'reads the directory of the Store package, and reports the usual one as stale',
      platforms: ['win32'],
      files: {
        '~/AppData/Roaming/Claude/claude_desktop_config.json': '{"mcpServers":{"old":{"command":"old"}}}',
        '~/AppData/Roaming/Claude/Claude Extensions/old/manifest.json': JSON.stringify(filesystemManifest),
        [`${PACKAGE}/claude_desktop_config.json`]: '{"mcpServers":{"old":{"command":"new"}}}',
        [`${PACKAGE}/Claude Extensions/search/manifest.json`]: JSON.stringify(searchManifest),
        [`${PACKAGE}/Claude Extensions Settings/search.json`]: '{"isEnabled":true,"userConfig":{"api_key":"k"}}',
      },
      expected: [
        { name: 'old', command: 'old', state: 'client-ignores', precedence: 10 },
        { name: 'filesystem', scope: 'extension', state: 'client-ignores' },
        {
          name: 'old',
          command: 'new',
          state: 'ready',
          precedence: 20,
          source: `${PACKAGE.replace('~', '<home>')}/claude_desktop_config.json`,
        },
        { name: 'search', scope: 'extension', state: 'ready', env: { API_KEY: 'k' } },
      ],
      problems: ['stale-config-file', 'stale-config-file'],
    },
    {
      title: 'reads no Store package on other platforms than Windows',
      platforms: ['linux', 'darwin'],
      files: (platform) => ({
        [appData(platform, 'Claude/claude_desktop_config.json')]: '{"mcpServers":{"old":{"command":"old"}}}',
        [`${PACKAGE}/claude_desktop_config.json`]: '{"mcpServers":{"old":{"command":"new"}}}',
      }),
      expected: [{ name: 'old', command: 'old', state: 'ready' }],
    },
  ],
};
