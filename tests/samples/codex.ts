import type { Platform } from '../support/machine.js';
import type { Samples } from './sample.js';

const system = (platform: Platform, file: string) =>
  platform === 'win32' ? `/ProgramData/OpenAI/Codex/${file}` : `/etc/codex/${file}`;

const OWN = '[mcp_servers.own]\ncommand = "own-server"\n';

export const codex: Samples = {
  client: 'codex',
  samples: [
    {
      title: 'reads the tables of the user, with values from variables',
      files: {
        '~/.codex/config.toml': `model = "x"

[mcp_servers.files]
command = "node"
args = ["files.js", "$NOT_EXPANDED"]
cwd = "/srv"
env = { MODE = "ro" }
env_vars = ["FILES_TOKEN", { name = "REGION", source = "local" }, "UNSET"]
startup_timeout_sec = 12.5
tool_timeout_sec = 90
enabled_tools = ["read"]
disabled_tools = ["write"]

[mcp_servers."two words"]
url = "https://two.example/mcp"
bearer_token_env_var = "TWO_TOKEN"
http_headers = { X-Plain = "1" }
env_http_headers = { X-Region = "REGION" }
startup_timeout_ms = 3000
http_headers_helper = "print-headers --now"

[mcp_servers."two words".oauth]
client_id = "me"
callback_port = 4000

[mcp_servers.off]
command = "off-server"
enabled = false
`,
      },
      env: { FILES_TOKEN: 'f-1', REGION: 'eu', TWO_TOKEN: 't-2' },
      expected: [
        {
          name: 'files',
          client: 'codex',
          scope: 'user',
          source: '<home>/.codex/config.toml',
          line: 3,
          transport: 'stdio',
          state: 'ready',
          command: 'node',
          args: ['files.js', '$NOT_EXPANDED'],
          cwd: '/srv',
          env: { MODE: 'ro', FILES_TOKEN: 'f-1', REGION: 'eu' },
          missing: ['UNSET'],
          startupTimeoutMs: 12_500,
          timeoutMs: 90_000,
          tools: { allow: ['read'], deny: ['write'] },
          written: { env: { MODE: 'ro', FILES_TOKEN: '${FILES_TOKEN}', REGION: '${REGION}', UNSET: '${UNSET}' } },
        },
        {
          name: 'two words',
          line: 14,
          transport: 'http',
          headers: { 'X-Plain': '1', 'X-Region': 'eu', Authorization: 'Bearer t-2' },
          startupTimeoutMs: 3000,
          headersHelper: 'print-headers --now',
          oauth: { client_id: 'me', callback_port: 4000 },
          written: { headers: { 'X-Plain': '1', 'X-Region': '${REGION}', Authorization: 'Bearer ${TWO_TOKEN}' } },
        },
        { name: 'off', line: 26, state: 'disabled', enabled: false },
      ],
      problems: ['missing-variable'],
    },
    {
      title: 'rejects a token in the file, and an entry with both a command and a URL',
      files: {
        '~/.codex/config.toml': `[mcp_servers.inline]
url = "https://inline.example/mcp"
bearer_token = "plain-text"
[mcp_servers.both]
command = "x"
url = "https://x.example/mcp"
[mcp_servers.neither]
[mcp_servers.headers]
url = "https://x.example/mcp"
http_headers = ["no map"]
`,
      },
      expected: [{ name: 'inline', state: 'client-ignores' }],
      problems: ['secret-in-file', 'invalid-entry', 'invalid-entry', 'invalid-entry'],
    },
    {
      title: 'reads CODEX_HOME, and plugins in each of three formats',
      files: {
        '~/moved/config.toml': OWN,
        '~/.codex/config.toml': '[mcp_servers.not-read]\ncommand = "x"\n',
        '~/moved/plugins/cache/a/1/.mcp.json': '{"mcpServers":{"one":{"type":"http","url":"https://one.example/mcp"}}}',
        '~/moved/plugins/cache/b/.mcp.json': '{"mcp_servers":{"two":{"command":"two","tool_timeout_sec":5}}}',
        '~/moved/plugins/cache/c/.mcp.json': '{"three":{"command":"three","disabled":true}}',
      },
      env: { CODEX_HOME: '<home>/moved' },
      expected: [
        { name: 'own', scope: 'user', source: '<home>/moved/config.toml', precedence: 20 },
        { name: 'one', scope: 'plugin', transport: 'http', state: 'ready', precedence: 5 },
        { name: 'two', scope: 'plugin', timeoutMs: 5000 },
        { name: 'three', scope: 'plugin', state: 'disabled', enabled: false },
      ],
    },
    {
      title: 'marks servers of a project without a trust decision as pending',
      files: { '<project>/.codex/config.toml': OWN },
      expected: [{ name: 'own', scope: 'project', state: 'pending-approval', precedence: 30 }],
    },
    {
      title: 'reads servers of a trusted project',
      files: {
        '<project>/.codex/config.toml': OWN,
        '~/.codex/config.toml': '[projects."<project>"]\ntrust_level = "trusted"\n',
      },
      expected: [{ name: 'own', scope: 'project', state: 'ready' }],
    },
    {
      title: 'ignores a trust decision in the project',
      files: {
        '<project>/.codex/config.toml': `${OWN}[projects."<project>"]\ntrust_level = "trusted"\n`,
        '~/.codex/config.toml': '[projects."<home>"]\ntrust_level = "trusted"\n',
      },
      expected: [{ name: 'own', state: 'pending-approval' }],
    },
    {
      title: 'rejects servers of an untrusted project',
      files: {
        '<project>/.codex/config.toml': OWN,
        '~/.codex/config.toml': '[projects."<project>/"]\ntrust_level = "untrusted"\n',
      },
      expected: [{ name: 'own', state: 'rejected' }],
    },
    {
      title: 'reads the servers of the system with lower precedence than those of the user',
      files: (platform) => ({ [system(platform, 'config.toml')]: OWN }),
      expected: (platform) => [
        { name: 'own', scope: 'managed', state: 'ready', source: `<root>${system(platform, 'config.toml')}` },
      ],
    },
    {
      title: 'blocks servers that differ from the requirements of the system',
      files: (platform) => ({
        [system(platform, 'requirements.toml')]: `[mcp_servers.same.identity]
command = "same-server"
[mcp_servers.changed.identity]
command = "expected-server"
[mcp_servers.address.identity]
url = "https://address.example/mcp"
[mcp_servers.prefix]
url = { prefix = "https://prefix.example/" }
[mcp_servers.exact]
command = { exact = "exact-server" }
[mcp_servers.regex]
url = { regex = "https://([a-z]+\\\\.)?regex\\\\.example/.*" }
[mcp_servers.outside]
url = { regex = "https://regex\\\\.example" }
[mcp_servers.slow]
url = { regex = "https://(a+)+b" }
`,
        [system(platform, 'config.toml')]: '[mcp_servers.system]\ncommand = "x"\n',
        '~/.codex/config.toml': `[mcp_servers]
same = { command = "same-server", args = ["any"] }
changed = { command = "other-server" }
address = { url = "https://address.example/mcp" }
prefix = { url = "https://prefix.example/mcp" }
exact = { command = "exact-server-2" }
regex = { url = "https://eu.regex.example/mcp" }
outside = { url = "https://regex.example/mcp" }
slow = { url = "https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/" }
unlisted = { command = "same-server" }
`,
      }),
      expected: [
        { name: 'same', line: 2, state: 'ready' },
        { name: 'changed', state: 'blocked-by-policy' },
        { name: 'address', state: 'ready' },
        { name: 'prefix', state: 'ready' },
        { name: 'exact', state: 'blocked-by-policy' },
        { name: 'regex', state: 'ready' },
        { name: 'outside', state: 'blocked-by-policy' },
        { name: 'slow', state: 'blocked-by-policy' },
        { name: 'unlisted', state: 'blocked-by-policy' },
        { name: 'system', state: 'blocked-by-policy' },
      ],
    },
  ],
};
