// Counts the tokens of the tool definitions that a model receives: from seven public servers directly, and from Portolan with
// the same servers behind it. Usage: node bench/tokens.mjs
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const home = mkdtempSync(join(tmpdir(), 'portolan-tokens-'));
const env = { PATH: process.env.PATH, HOME: home, USERPROFILE: home, PORTOLAN_DAEMON: 'never' };
const SERVERS = {
  everything: ['@modelcontextprotocol/server-everything'],
  filesystem: ['@modelcontextprotocol/server-filesystem', home],
  git: ['@cyanheads/git-mcp-server'],
  github: ['@modelcontextprotocol/server-github'],
  memory: ['@modelcontextprotocol/server-memory'],
  thinking: ['@modelcontextprotocol/server-sequential-thinking'],
  context7: ['@upstash/context7-mcp'],
};

function entryOf([name, ...words]) {
  const folder = join(root, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const program = typeof bin === 'string' ? bin : Object.values(bin)[0];
  return { command: process.execPath, args: [join(folder, program), ...words] };
}

async function listed(launch) {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(new StdioClientTransport({ ...launch, env, cwd: home, stderr: 'ignore' }));
  try {
    const { tools } = await client.listTools();
    return { tools: tools.length, tokens: countTokens(JSON.stringify(tools)) };
  } finally {
    await client.close();
  }
}

function row(name, { tools, tokens }) {
  console.log(`${name.padEnd(12)} ${String(tools).padStart(4)} tools ${String(tokens).padStart(7)} tokens`);
}

try {
  const mcpServers = Object.fromEntries(Object.entries(SERVERS).map(([name, words]) => [name, entryOf(words)]));
  const sum = { tools: 0, tokens: 0 };
  for (const [name, launch] of Object.entries(mcpServers)) {
    const one = await listed(launch);
    sum.tools += one.tools;
    sum.tokens += one.tokens;
    row(name, one);
  }
  row('together', sum);
  mkdirSync(join(home, '.cursor'));
  writeFileSync(join(home, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers }));
  row('Portolan', await listed({ command: process.execPath, args: [join(root, 'dist', 'cli.cjs')] }));
} finally {
  rmSync(home, { recursive: true, force: true });
}
