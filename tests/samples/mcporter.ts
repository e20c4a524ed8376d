import type { Samples } from './sample.js';

export const mcporter: Samples = {
  client: 'mcporter',
  samples: [
    {
      title: 'reads a command as a program, a command line or a list, and a URL under any of its keys',
      files: {
        '~/.mcporter/mcporter.json': `{
  // the user's own
  "mcpServers": {
    "word": { "command": "node", "args": ["a.js", "\${MP_DIR:-/srv}"], "env": { "T": "\${MP_TOKEN}" } },
    "line": { "command": "node 'b c.js' --fast" },
    "list": { "command": ["node", "c.js"] },
    "called": { "executable": "node", "args": ["d.js"] },
    "camel": { "baseUrl": "https://p.example/1", "bearerToken": "b-1", "allowedTools": ["read"] },
    "snake": { "base_url": "https://p.example/2", "bearer_token_env": "MP_TOKEN", "blocked_tools": ["drop"] },
    "plain": { "url": "https://p.example/3", "headers": { "Authorization": "$env:MP_TOKEN" } },
    "server": { "serverUrl": "https://p.example/4" },
    "server_snake": { "server_url": "https://p.example/5" },
  },
  "imports": ["cursor"],
}`,
      },
      env: { MP_TOKEN: 'm-1' },
      expected: [
        {
          name: 'word',
          client: 'mcporter',
          scope: 'user',
          source: '<home>/.mcporter/mcporter.json',
          line: 4,
          transport: 'stdio',
          state: 'ready',
          args: ['a.js', '/srv'],
          env: { T: 'm-1' },
          written: { command: 'node', args: ['a.js', '${MP_DIR:-/srv}'], env: { T: '${MP_TOKEN}' } },
        },
        { name: 'line', line: 5, command: 'node', args: ['b c.js', '--fast'] },
        { name: 'list', command: 'node', args: ['c.js'] },
        { name: 'called', command: 'node', args: ['d.js'] },
        {
          name: 'camel',
          transport: 'auto',
          url: 'https://p.example/1',
          headers: { Authorization: 'Bearer b-1' },
          tools: { allow: ['read'] },
        },
        {
          name: 'snake',
          transport: 'auto',
          url: 'https://p.example/2',
          headers: { Authorization: 'Bearer m-1' },
          written: { url: 'https://p.example/2', headers: { Authorization: 'Bearer ${MP_TOKEN}' } },
          tools: { deny: ['drop'] },
        },
        { name: 'plain', url: 'https://p.example/3', headers: { Authorization: 'm-1' } },
        { name: 'server', transport: 'auto', url: 'https://p.example/4' },
        { name: 'server_snake', transport: 'auto', url: 'https://p.example/5' },
      ],
    },
    {
      title: 'marks a server with a missing variable',
      files: {
        '<project>/config/mcporter.json': JSON.stringify({
          mcpServers: {
            braced: { command: 'node', args: ['${MP_A}'] },
            shell: { command: 'node', env: { B: '$env:MP_B' } },
            named: { url: 'https://p.example/mcp', bearerTokenEnv: 'MP_C' },
          },
        }),
      },
      expected: [
        { name: 'braced', scope: 'project', state: 'needs-input', missing: ['MP_A'] },
        { name: 'shell', state: 'needs-input', missing: ['MP_B'] },
        { name: 'named', state: 'needs-input', missing: ['MP_C'] },
      ],
      problems: ['missing-variable', 'missing-variable', 'missing-variable'],
    },
    {
      title: 'gives the project precedence over the user, and uses the first file name of the user',
      files: {
        '~/.mcporter/mcporter.json': '{"mcpServers":{"a":{"command":"json"}}}',
        '~/.mcporter/mcporter.jsonc': '{"mcpServers":{"a":{"command":"jsonc"}}}',
        '<project>/config/mcporter.json': '{"mcpServers":{"a":{"command":"project"}}}',
      },
      expected: [
        { name: 'a', scope: 'user', command: 'json', precedence: 10 },
        { name: 'a', scope: 'project', command: 'project', state: 'ready', precedence: 20 },
      ],
    },
    {
      title: 'reads the second file name if the first is absent, in the XDG directory',
      files: {
        '~/xdg/mcporter/mcporter.jsonc': '{"mcpServers":{"a":{"command":"xdg"}}}',
        '~/.mcporter/mcporter.json': '{"mcpServers":{"a":{"command":"home"}}}',
      },
      env: { XDG_CONFIG_HOME: '~/xdg' },
      expected: [{ name: 'a', command: 'xdg', source: '<home>/xdg/mcporter/mcporter.jsonc' }],
    },
    {
      title: 'reads only the file of the variable',
      files: {
        '~/mine.json': '{"mcpServers":{"a":{"command":"mine"}}}',
        '~/.mcporter/mcporter.json': '{"mcpServers":{"a":{"command":"home"}}}',
        '<project>/config/mcporter.json': '{"mcpServers":{"a":{"command":"project"}}}',
      },
      env: { MCPORTER_CONFIG: '~/mine.json' },
      expected: [{ name: 'a', scope: 'user', command: 'mine', source: '<home>/mine.json' }],
    },
  ],
};
