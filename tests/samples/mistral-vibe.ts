import type { Samples } from './sample.js';

export const mistralVibe: Samples = {
  client: 'mistral-vibe',
  samples: [
    {
      title: 'reads an array of tables with names',
      files: {
        '~/.vibe/config.toml': `active_model = "x"

[[mcp_servers]]
name = "files"
transport = "stdio"
command = "uvx"
args = ["mcp-files", "$ROOT"]
env = { MODE = "ro" }
cwd = "/srv"

[[mcp_servers]]
name = "stream"
transport = "streamable-http"
url = "https://stream.example/mcp"
headers = { "X-A" = "1" }

[[mcp_servers]]
name = "plain"
transport = "http"
url = "https://plain.example/mcp"

[[mcp_servers]]
transport = "stdio"
command = "nameless"

[[mcp_servers]]
name = "odd"
transport = "telepathy"
command = "x"
`,
      },
      env: { ROOT: '/r' },
      expected: [
        {
          name: 'files',
          client: 'mistral-vibe',
          scope: 'user',
          line: 3,
          transport: 'stdio',
          state: 'ready',
          command: 'uvx',
          args: ['mcp-files', '$ROOT'],
          env: { MODE: 'ro' },
          cwd: '/srv',
          precedence: 10,
        },
        { name: 'stream', line: 11, transport: 'http', headers: { 'X-A': '1' } },
        { name: 'plain', line: 17, transport: 'http' },
      ],
      problems: ['invalid-entry', 'invalid-entry'],
    },
    {
      title: 'reports a syntax error with its line',
      files: { '~/.vibe/config.toml': '[[mcp_servers]]\nname = \n' },
      expected: [],
      problems: ['parse-error'],
    },
  ],
};
