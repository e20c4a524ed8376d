// A machine with a file of every client: 56 clients with about 500 servers, in all formats.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PER_CLIENT = 10;

const entry = (n) =>
  n % 4 === 3
    ? { type: 'http', url: `https://host-${n}.example/mcp`, headers: { Authorization: 'Bearer ${TOKEN}' } }
    : {
        command: 'npx',
        args: ['-y', `@scope/server-${n}@1.2.${n}`, '--root', '${HOME}/work'],
        env: { API_KEY: '${KEY}', LEVEL: 'info' },
      };
const stdio = (n) => ({ command: 'uvx', args: [`server-${n}`], env: { LEVEL: 'info' } });
const named = (client, make) =>
  Object.fromEntries(Array.from({ length: PER_CLIENT }, (_, n) => [`${client}-${n}`, make(n)]));
const json = (value) => JSON.stringify(value, null, 2);
const map =
  (key) =>
  (client, make = entry) =>
    json({ [key]: named(client, make) });
const mcpServers = map('mcpServers');
const opencode = (client) =>
  json({
    mcp: named(client, (n) => ({ type: 'local', command: ['npx', '-y', `s-${n}`], environment: { A: '{env:HOME}' } })),
  });
const list = (client, make) => Object.entries(named(client, make)).map(([name, value]) => ({ name, ...value }));
const yamlMap = (client, fields) =>
  Object.keys(named(client, stdio))
    .map(
      (name) =>
        `  ${name}:\n${fields(name)
          .map((line) => `    ${line}\n`)
          .join('')}`,
    )
    .join('');
const tomlTables = (client) =>
  Object.keys(named(client, stdio))
    .map((name) => `[mcp_servers.${name}]\ncommand = "npx"\nargs = ["-y", "${name}"]\n`)
    .join('\n');

/** One file of each client: path below the home (or the project) and its text. */
export const FILES = [
  ['~/.config/Claude/claude_desktop_config.json', 'claude-desktop', (c) => mcpServers(c, stdio)],
  [
    '~/.claude.json',
    'claude-code',
    (c) =>
      json({
        numStartups: 7,
        history: Array.from({ length: 500 }, (_, n) => `line ${n}`),
        mcpServers: named(c, entry),
      }),
  ],
  ['~/.cursor/mcp.json', 'cursor', (c) => `// by hand\n${mcpServers(c)}`],
  ['~/.config/Code/User/mcp.json', 'vscode', map('servers')],
  ['~/.config/Code - Insiders/User/mcp.json', 'vscode-insiders', map('servers')],
  ['~/.config/VSCodium/User/mcp.json', 'vscodium', map('servers')],
  ['~/.codeium/windsurf/mcp_config.json', 'windsurf', mcpServers],
  ['~/.config/devin/config.json', 'devin-cli', (c) => mcpServers(c, stdio)],
  ['~/.config/opencode/opencode.json', 'opencode', opencode],
  [
    '~/.opencode.json',
    'opencode-legacy',
    (c) => mcpServers(c, (n) => ({ command: 'uvx', args: [`s-${n}`], env: ['A=1'] })),
  ],
  ['~/.codex/config.toml', 'codex', tomlTables],
  ['~/.gemini/settings.json', 'gemini-cli', (c) => mcpServers(c, stdio)],
  ['~/.gemini/config/mcp_config.json', 'antigravity', mcpServers],
  ['~/.qwen/settings.json', 'qwen-code', (c) => mcpServers(c, stdio)],
  ['~/.config/zed/settings.json', 'zed', (c) => map('context_servers')(c, stdio)],
  ['~/.cline/data/settings/cline_mcp_settings.json', 'cline', (c) => mcpServers(c, stdio)],
  [
    '~/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json',
    'roo-code',
    (c) => mcpServers(c, stdio),
  ],
  ['~/.config/kilo/kilo.json', 'kilo-code', opencode],
  [
    '~/.continue/config.yaml',
    'continue',
    (c) =>
      `mcpServers:\n${list(c, stdio)
        .map(({ name }) => `  - name: ${name}\n    command: uvx\n    args: [${name}]\n`)
        .join('')}`,
  ],
  [
    '~/.config/goose/config.yaml',
    'goose',
    (c) => `extensions:\n${yamlMap(c, (name) => ['type: stdio', 'cmd: uvx', `args: [${name}]`, 'enabled: true'])}`,
  ],
  ['~/.aws/amazonq/mcp.json', 'amazon-q', mcpServers],
  ['~/.kiro/settings/mcp.json', 'kiro', mcpServers],
  ['~/.junie/mcp/mcp.json', 'junie', (c) => mcpServers(c, stdio)],
  ['~/.config/JetBrains/IntelliJIdea2026.2/options/llm.mcpServers.xml', 'jetbrains-ai', () => '<application/>'],
  ['~/.config/github-copilot/intellij/mcp.json', 'copilot-jetbrains', map('servers')],
  ['~/.copilot/mcp-config.json', 'copilot-cli', mcpServers],
  ['~/.lmstudio/mcp.json', 'lmstudio', mcpServers],
  ['~/.warp/.mcp.json', 'warp', mcpServers],
  ['~/.agents/.mcp.json', 'agents-dir', mcpServers],
  ['~/.config/Trae/User/mcp.json', 'trae', mcpServers],
  ['~/.config/crush/crush.json', 'crush', (c) => json({ mcp: named(c, stdio) })],
  ['~/.config/amp/settings.json', 'amp', map('amp.mcpServers')],
  ['~/.factory/mcp.json', 'factory-droid', mcpServers],
  ['~/.kimi/mcp.json', 'kimi-cli', mcpServers],
  ['~/.qoder/mcp.json', 'qoder', mcpServers],
  ['~/.tabnine/agent/settings.json', 'tabnine', (c) => mcpServers(c, stdio)],
  ['~/.abacusai/mcp.json', 'abacus', mcpServers],
  ['~/.tome/mcp_config.json', 'tome', (c) => mcpServers(c, stdio)],
  ['~/.nanobot/config.json', 'nanobot', (c) => json({ tools: { mcpServers: named(c, entry) } })],
  ['~/.sema4ai/sema4ai-studio/mcp_servers.json', 'sema4', mcpServers],
  [
    '~/.vibe/config.toml',
    'mistral-vibe',
    (c) =>
      list(c, stdio)
        .map(
          ({ name }) => `[[mcp_servers]]\nname = "${name}"\ntransport = "stdio"\ncommand = "uvx"\nargs = ["${name}"]\n`,
        )
        .join('\n'),
  ],
  ['~/.config/Witsy/settings.json', 'witsy', (c) => mcpServers(c, stdio)],
  ['~/.config/5ire/mcp.json', '5ire', mcpServers],
  ['~/.local/share/Jan/data/mcp_config.json', 'jan', mcpServers],
  ['~/.config/anythingllm-desktop/storage/plugins/anythingllm_mcp_servers.json', 'anythingllm', mcpServers],
  [
    '<project>/librechat.yaml',
    'librechat',
    (c) => `mcpServers:\n${yamlMap(c, (name) => ['type: stdio', 'command: uvx', `args: [${name}]`])}`,
  ],
  ['~/.docker/mcp/registry.yaml', 'docker-mcp', (c) => `registry:\n${yamlMap(c, () => ['ref: ""'])}`],
  ['~/.local/state/toolhive/runconfigs/one.json', 'toolhive', () => json({ name: 'one' })],
  ['~/.config/mcphub/servers.json', 'mcphub-nvim', (c) => `{ // by hand\n  mcpServers: ${json(named(c, stdio))},\n}`],
  ['~/.mcporter/mcporter.json', 'mcporter', mcpServers],
  ['~/MCPs/all.json', 'mcps-dir', mcpServers],
];

/** Writes them below a directory; clients that exist only on other systems have no file here. */
export function writeFullMachine(folder) {
  for (const [path, client, text] of FILES) {
    const full = join(folder, path.replace(/^~/, 'home').replace(/^<project>/, 'project'));
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text(client));
  }
}
