import type { Samples } from './sample.js';

const server = (name: string) => JSON.stringify({ mcpServers: { [name]: { command: `${name}-server` } } });

export const mcpsDir: Samples = {
  client: 'mcps-dir',
  samples: [
    {
      title: 'reads three directories in order, and the files of each by name',
      files: {
        '<project>/mcp-servers/a.json': server('project'),
        '~/.config/mcp/servers/a.json': server('standard'),
        '~/MCPs/b.json': server('lower'),
        '~/MCPs/Z.json': server('upper'),
        '~/MCPs/10.json': server('ten'),
        '~/MCPs/9.json': server('nine'),
        '~/MCPs/~.json': server('tilde'),
        '~/MCPs/a b.json': server('blank'),
      },
      expected: [
        { name: 'ten', scope: 'user', state: 'ready', precedence: 10, source: '<home>/MCPs/10.json' },
        { name: 'nine' },
        { name: 'upper' },
        { name: 'blank' },
        { name: 'lower' },
        { name: 'tilde' },
        { name: 'standard', scope: 'user', state: 'ready', precedence: 5, source: '<home>/.config/mcp/servers/a.json' },
        {
          name: 'project',
          scope: 'project',
          state: 'pending-approval',
          precedence: 20,
          source: '<project>/mcp-servers/a.json',
        },
      ],
    },
    {
      title: 'ignores directories named like files, other file types and files in subdirectories',
      files: {
        '~/MCPs/folder.json/inner.json': server('inner'),
        '~/MCPs/notes.txt': server('notes'),
        '~/MCPs/servers.yaml': 'mcpServers: {}',
        '~/MCPs/old.json.bak': server('old'),
        '~/MCPs/real.json': server('real'),
        '<project>/mcp-servers/deep/er.json': server('deeper'),
      },
      expected: [{ name: 'real' }],
    },
    {
      title: 'expands no value, and accepts every server type of Claude Code',
      files: {
        '~/MCPs/all.json': `{
  // several in one file
  "mcpServers": {
    "local": { "command": "uvx", "args": ["\${HOME}"], "env": { "TOKEN": "\${TOKEN}" }, "cwd": "/srv", "timeout": 5000 },
    "web": { "type": "http", "url": "https://web.example/mcp", "headers": { "X-Key": "\${KEY}" } },
    "events": { "type": "sse", "url": "https://events.example/sse" },
    "socket": { "type": "ws", "url": "wss://socket.example/" },
    "untyped": { "url": "https://untyped.example/mcp" },
  },
}`,
      },
      env: { HOME: '/elsewhere', TOKEN: 't', KEY: 'k' },
      expected: [
        {
          name: 'local',
          line: 4,
          transport: 'stdio',
          args: ['${HOME}'],
          env: { TOKEN: '${TOKEN}' },
          cwd: '/srv',
          timeoutMs: 5000,
        },
        { name: 'web', line: 5, transport: 'http', headers: { 'X-Key': '${KEY}' } },
        { name: 'events', line: 6, transport: 'sse' },
        { name: 'socket', line: 7, transport: 'ws' },
        { name: 'untyped', line: 8, transport: 'auto', state: 'ready' },
      ],
      problems: ['reference-not-expanded', 'reference-not-expanded', 'url-without-type'],
    },
    {
      title: 'skips only an invalid file or entry',
      files: {
        '~/MCPs/1.json': '{"mcpServers":{"cut":',
        '~/MCPs/2.json': '{"mcpServers":{"no-command":{"args":[]},"word":"npx","good":{"command":"good"}}}',
        '~/MCPs/3.json': '{"servers":{"other-key":{"command":"x"}}}',
        '~/MCPs/4.json': '[]',
        '~/MCPs/5.json': '{"mcpServers":{"Portolan":{"command":"anything"},"last":{"command":"last"}}}',
      },
      expected: [
        { name: 'good', source: '<home>/MCPs/2.json' },
        { name: 'last', source: '<home>/MCPs/5.json' },
      ],
      // Problems of files come before problems of entries.
      problems: ['parse-error', 'invalid-entry', 'invalid-entry', 'invalid-entry', 'self-server'],
    },
    {
      title: 'reports that a reference is not expanded, also in the project',
      files: { '<project>/mcp-servers/a.json': '{"mcpServers":{"a":{"command":"a","env":{"TOKEN":"${TOK}"}}}}' },
      env: { TOK: 't' },
      expected: [{ name: 'a', state: 'pending-approval', env: { TOKEN: '${TOK}' } }],
      problems: ['reference-not-expanded'],
    },
    {
      title: 'warns of a secret in a project file',
      files: {
        '~/MCPs/own.json':
          '{"mcpServers":{"own":{"command":"own","env":{"T":"ghp_0123456789abcdefghijklmnopqrstuvwxyz"}}}}',
        '<project>/mcp-servers/shared.json':
          '{"mcpServers":{"shared":{"command":"s","env":{"T":"ghp_0123456789abcdefghijklmnopqrstuvwxyz"}}}}',
      },
      expected: [{ name: 'own' }, { name: 'shared', state: 'pending-approval' }],
      problems: ['secret-in-file'],
    },
  ],
};
