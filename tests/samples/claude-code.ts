import { delimiter } from 'node:path';
import type { Samples } from './sample.js';

const MANAGED = {
  darwin: '/Library/Application Support/ClaudeCode',
  linux: '/etc/claude-code',
  win32: '/Program Files/ClaudeCode',
};
const CACHE = '~/.claude/plugins/cache';

/** A file with one local server. */
const one = (name: string, command = name) => JSON.stringify({ mcpServers: { [name]: { command } } });

export const claudeCode: Samples = {
  client: 'claude-code',
  samples: [
    {
      title: 'reads the servers of the user and of this directory from ~/.claude.json',
      files: {
        '~/.claude.json': `{
  "numStartups": 7,
  "mcpServers": {
    "git": { "command": "uvx", "args": ["mcp-server-git", "\${REPO:-.}"], "env": { "A": "\${A}", "B": "\${B}" } },
    "api": { "type": "http", "url": "https://\${HOST}/mcp", "headers": { "Authorization": "Bearer \${A}" }, "timeout": 999 }
  },
  "projects": {
    "/somewhere/else": { "mcpServers": { "other": { "command": "other" } } },
    "<project>": {
      "mcpServers": { "notes": { "type": "stdio", "command": "\${A}", "args": [], "env": {}, "timeout": 60000 } }
    }
  }
}`,
      },
      env: { A: 'a', HOST: 'api.example' },
      expected: [
        {
          name: 'git',
          client: 'claude-code',
          scope: 'user',
          source: '<home>/.claude.json',
          line: 4,
          transport: 'stdio',
          state: 'ready',
          precedence: 30,
          args: ['mcp-server-git', '.'],
          env: { A: 'a', B: '${B}' },
          missing: ['B'],
          written: { command: 'uvx', args: ['mcp-server-git', '${REPO:-.}'], env: { A: '${A}', B: '${B}' } },
        },
        {
          name: 'api',
          line: 5,
          transport: 'http',
          url: 'https://api.example/mcp',
          headers: { Authorization: 'Bearer a' },
          written: { url: 'https://${HOST}/mcp', headers: { Authorization: 'Bearer ${A}' } },
        },
        {
          name: 'notes',
          scope: 'local',
          line: 10,
          state: 'ready',
          precedence: 50,
          command: 'a',
          timeoutMs: 60000,
          source: '<home>/.claude.json',
        },
      ],
      problems: ['missing-variable'],
    },
    {
      title: 'merges several spellings of one directory on Windows',
      platforms: ['win32'],
      files: {
        '~/.claude.json': `{ "projects": {
  "C:<project>": { "mcpServers": { "one": { "command": "one" }, "same": { "command": "same" } } },
  "c:<project>/": { "mcpServers": { "two": { "command": "two" }, "same": { "command": "same" } } },
  "<project>/deeper": { "mcpServers": { "three": { "command": "three" } } }
} }`,
      },
      expected: [
        { name: 'one', scope: 'local', state: 'ready', line: 2 },
        { name: 'same', scope: 'local' },
        { name: 'two', scope: 'local', line: 3 },
      ],
    },
    {
      title: 'marks servers of the repository as pending until they are approved',
      files: {
        '<project>/.git/HEAD': 'ref: refs/heads/main',
        '<project>/.mcp.json': one('shared'),
      },
      expected: [
        { name: 'shared', scope: 'project', state: 'pending-approval', precedence: 40, source: '<project>/.mcp.json' },
      ],
    },
    {
      title: 'does not read "servers" in the file of the repository',
      files: { '<project>/.mcp.json': '{"servers":{"visual":{"command":"visual"}}}' },
      expected: [{ name: 'visual', scope: 'project', state: 'client-ignores' }],
      problems: ['wrong-key'],
    },
    {
      title: 'reads servers in the settings with lower precedence, and reports the wrong file',
      files: {
        '~/.claude/settings.json': one('misplaced'),
        '~/.claude.json': one('misplaced', 'right'),
        '<project>/.claude/settings.json': one('never'),
        '<project>/.claude/settings.local.json': one('never'),
      },
      expected: [
        { name: 'misplaced', command: 'right', precedence: 30 },
        { name: 'misplaced', scope: 'user', source: '<home>/.claude/settings.json', precedence: 25 },
      ],
      problems: ['ignored-by-client'],
    },
    {
      title: 'reads managed servers, which replace all others',
      files: (platform) => ({
        [`${MANAGED[platform]}/managed-mcp.json`]: one('company'),
        '~/.claude.json': one('own'),
        '~/.claude/settings.json': '{"enabledPlugins":{"tool@market":true}}',
        [`${CACHE}/market/tool/1.0.0/.mcp.json`]: one('brought'),
      }),
      expected: (platform) => [
        { name: 'own', state: 'blocked-by-policy' },
        {
          name: 'company',
          scope: 'managed',
          state: 'ready',
          precedence: 100,
          source: `<root>${MANAGED[platform]}/managed-mcp.json`,
        },
        { name: 'plugin:tool:brought', state: 'blocked-by-policy' },
      ],
    },
    {
      title: 'reads CLAUDE_CONFIG_DIR instead of the default directory',
      env: { CLAUDE_CONFIG_DIR: '<project>/config' },
      files: {
        '~/.claude.json': one('usual'),
        '~/.claude/settings.json': one('usual'),
        [`${CACHE}/market/usual/1/.mcp.json`]: one('usual'),
        '<project>/config/.claude.json': one('moved'),
        '<project>/config/settings.json': '{"enabledPlugins":{"p@m":true}}',
        '<project>/config/plugins/cache/m/p/1/.mcp.json': one('brought'),
        '<project>/config/agents/a.md': '---\nname: a\nmcpServers:\n  - inline:\n      command: inline\n---\n',
      },
      expected: [
        { name: 'moved', scope: 'user', state: 'ready', source: '<project>/config/.claude.json' },
        { name: 'plugin:p:brought', scope: 'plugin', state: 'ready' },
        { name: 'inline', scope: 'agent', state: 'inventory-only' },
      ],
    },
    {
      title: 'reads plugins in every format, and only installed ones',
      files: {
        '~/.claude/settings.json': `{ "enabledPlugins":
          { "wrapped@market": true, "flat@market": true, "inline@market": true, "named@market": true, "off@market": false } }`,
        [`${CACHE}/market/absent/1.0.0/.mcp.json`]: one('s'),
        [`${CACHE}/market/flat/abc123/.mcp.json`]: '{"s":{"type":"sse","url":"https://flat.example/sse"},"version":1}',
        [`${CACHE}/market/inline/1.0.0/.claude-plugin/plugin.json`]: `{
  "name": "inline",
  "mcpServers": {
    "s": { "command": "\${CLAUDE_PLUGIN_ROOT}/bin/s", "args": ["--data", "\${CLAUDE_PLUGIN_DATA}", "\${CLAUDE_PROJECT_DIR}"],
      "env": { "HOST": "\${HOST:-none}" }, "cwd": "\${CLAUDE_PLUGIN_ROOT}" },
    "asks": { "command": "asks", "env": { "KEY": "\${user_config.key}" } }
  }
}`,
        [`${CACHE}/market/named/2.0.0/.claude-plugin/plugin.json`]: `{ "name": "own-name",
          "mcpServers": ["./servers/a.json", "./.mcp.json", { "in-list": { "command": "l" } }, "../../escape.json", "./gone.json"] }`,
        [`${CACHE}/market/named/2.0.0/servers/a.json`]:
          '// generated\n{ "mcpServers":\n  { "a": { "command": "a" }, } }',
        [`${CACHE}/market/named/2.0.0/.mcp.json`]: one('usual', '${CLAUDE_PLUGIN_ROOT}/u'),
        [`${CACHE}/market/escape.json`]: one('escaped'),
        [`${CACHE}/market/off/1.0.0/.mcp.json`]: one('s'),
        [`${CACHE}/market/wrapped/1.0.0/.mcp.json`]: one('s'),
        [`${CACHE}/market/wrapped/1.0.0/node_modules/x/.mcp.json`]: one('not-its-own'),
        '~/.claude/plugins/marketplaces/market/catalogue/.mcp.json': one('not-installed'),
      },
      expected: [
        { name: 'plugin:absent:s', scope: 'plugin', state: 'disabled', enabled: false, precedence: 20 },
        { name: 'plugin:flat:s', transport: 'sse', state: 'ready' },
        {
          name: 'plugin:own-name:usual',
          state: 'ready',
          command: `<home>${CACHE.slice(1)}/market/named/2.0.0/u`,
          source: `<home>${CACHE.slice(1)}/market/named/2.0.0/.mcp.json`,
        },
        { name: 'plugin:off:s', state: 'disabled' },
        { name: 'plugin:wrapped:s', state: 'ready', command: 's' },
        {
          name: 'plugin:inline:s',
          state: 'ready',
          line: 4,
          command: `<home>${CACHE.slice(1)}/market/inline/1.0.0/bin/s`,
          args: ['--data', '<home>/.claude/plugins/data/inline-market', '<project>'],
          env: { HOST: 'none' },
          cwd: `<home>${CACHE.slice(1)}/market/inline/1.0.0`,
          source: `<home>${CACHE.slice(1)}/market/inline/1.0.0/.claude-plugin/plugin.json`,
        },
        { name: 'plugin:inline:asks', state: 'needs-input', inputs: [{ id: 'key' }] },
        {
          name: 'plugin:own-name:a',
          state: 'ready',
          source: `<home>${CACHE.slice(1)}/market/named/2.0.0/servers/a.json`,
          line: 3,
        },
        { name: 'plugin:own-name:in-list', state: 'ready' },
      ],
      problems: ['unreadable-file', 'unreadable-file'],
    },
    {
      title: 'reads plugins in older and moved caches',
      env: {
        CLAUDE_CODE_PLUGIN_CACHE_DIR: '<project>/plugins',
        CLAUDE_CODE_PLUGIN_SEED_DIR: `<project>/seed-1${delimiter}<project>/seed-2`,
      },
      files: {
        '~/.claude/settings.json': '{"enabledPlugins":["bare@m","kept@m","old@owner","first@m","second@m"]}',
        '<project>/plugins/cache/m/kept/1/.mcp.json': one('s'),
        '<project>/plugins/repos/owner/old/.mcp.json': one('s'),
        '<project>/plugins/m/bare/1/.mcp.json': one('s'),
        '<project>/seed-1/cache/m/first/1/.mcp.json': one('s'),
        '<project>/seed-2/cache/m/second/1/.mcp.json': one('s'),
      },
      expected: [
        { name: 'plugin:kept:s', state: 'ready' },
        { name: 'plugin:old:s', state: 'ready' },
        { name: 'plugin:first:s', state: 'ready' },
        { name: 'plugin:second:s', state: 'ready' },
        { name: 'plugin:bare:s', state: 'ready' },
      ],
    },
    {
      title: 'lists the inline servers of agents, and skips references by name',
      files: {
        '~/.claude/agents/reviewer.md':
          '---\nname: reviewer\nmcpServers:\n  - github\n  - browser:\n      type: stdio\n      command: browser\n      args: [--headless]\n---\nReview it.\n',
        '<project>/.claude/agents/tester.md':
          '---\nname: tester\nmcpServers:\n  db:\n    type: http\n    url: https://db.example/mcp\n---\n',
        '<project>/.claude/agents/plain.md': '---\nname: plain\ntools: Read, Grep\n---\nNo servers.\n',
        '<project>/.claude/agents/none.md': 'No front matter at all.\n',
      },
      expected: [
        { name: 'browser', scope: 'agent', state: 'inventory-only', line: 5, args: ['--headless'] },
        { name: 'db', scope: 'agent', state: 'inventory-only', transport: 'http', line: 4 },
      ],
    },
  ],
};
