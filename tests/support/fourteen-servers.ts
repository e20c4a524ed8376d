import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { appData, PLATFORMS } from './machine.js';

const MODULES = join(dirname(fileURLToPath(import.meta.url)), '../../node_modules');
const SLOW_START_MS = 3_000;

interface LocalEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}
interface RemoteEntry {
  readonly url: string;
}
type SampleEntry = LocalEntry | RemoteEntry;
export type SampleEntries = Readonly<Record<string, SampleEntry>>;

/** Servers that start and are written under two names each. */
export const TWICE: Readonly<Record<string, string>> = {
  filesystem: 'files',
  memory: 'notes',
  everything: 'demo',
  'sequential-thinking': 'thinking',
  git: 'repository',
};

/**
 * The servers of a machine in use: five from npm, each under two names, a command that does not exist, an empty
 * variable, a slow start, and a remote server.
 */
export function fourteenServers(folder: string, remoteUrl: string): SampleEntries {
  const program = (name: string) => join(MODULES, name, 'dist/index.js');
  const node = (name: string, words: readonly string[] = [], env?: Readonly<Record<string, string>>): LocalEntry => ({
    command: process.execPath,
    args: [program(name), ...words],
    ...(env && { env }),
  });
  const five: SampleEntries = {
    filesystem: node('@modelcontextprotocol/server-filesystem', [folder]),
    memory: node('@modelcontextprotocol/server-memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
    everything: node('@modelcontextprotocol/server-everything'),
    'sequential-thinking': node('@modelcontextprotocol/server-sequential-thinking'),
    git: node('@cyanheads/git-mcp-server', [], { LOGS_DIR: join(folder, 'git-logs'), MCP_LOG_LEVEL: 'error' }),
  };
  const slow = pathToFileURL(program('@modelcontextprotocol/server-memory')).href;
  return {
    ...five,
    ...Object.fromEntries(Object.entries(five).map(([name, entry]) => [TWICE[name], entry])),
    missing: { command: 'a-program-that-does-not-exist', args: ['serve'] },
    github: node('@modelcontextprotocol/server-github', [], { GITHUB_PERSONAL_ACCESS_TOKEN: '' }),
    slow: { command: process.execPath, args: ['-e', `setTimeout(() => import('${slow}'), ${SLOW_START_MS})`] },
    remote: { url: remoteUrl },
  };
}

interface ClientFile {
  /** A template for `Machine.path`. */
  readonly file: string;
  readonly text: (entries: SampleEntries) => string;
}

const json = (value: unknown, indent: number | string = 2) => `${JSON.stringify(value, null, indent)}\n`;

function typed(entries: SampleEntries): Record<string, object> {
  return mapped(entries, (entry) => ({ type: 'url' in entry ? 'http' : 'stdio', ...entry }));
}

function mapped<T>(entries: SampleEntries, make: (entry: SampleEntry) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, make(entry)]));
}

function tomlTable(name: string, entry: SampleEntry): string {
  const fields = Object.entries(entry).filter(([key]) => key !== 'env');
  const env = 'env' in entry ? Object.entries(entry.env ?? {}) : [];
  const line = ([key, value]: readonly [string, unknown]) => `${key} = ${JSON.stringify(value)}\n`;
  const variables = env.length === 0 ? '' : `[mcp_servers.${name}.env]\n${env.map(line).join('')}`;
  return `[mcp_servers.${name}] # ${name}\n${fields.map(line).join('')}${variables}\n`;
}

const platform = PLATFORMS.find((one) => one === process.platform) ?? 'linux';

/** The same servers in the files of seven clients, in their formats and with comments where they allow them. */
export const CLIENT_FILES: Readonly<Record<string, ClientFile>> = {
  'claude-code': {
    file: '~/.claude.json',
    text: (entries) => json({ hasCompletedOnboarding: true, mcpServers: typed(entries), projects: {} }),
  },
  opencode: {
    file: '~/.config/opencode/opencode.json',
    text: (entries) =>
      json({
        $schema: 'https://opencode.ai/config.json',
        mcp: mapped(entries, (entry) =>
          'url' in entry
            ? { type: 'remote', url: entry.url }
            : {
                type: 'local',
                command: [entry.command, ...entry.args],
                ...(entry.env && { environment: entry.env }),
              },
        ),
      }),
  },
  'gemini-cli': {
    file: '~/.gemini/settings.json',
    text: (entries) =>
      json({ mcpServers: mapped(entries, (entry) => ('url' in entry ? { httpUrl: entry.url } : entry)) }),
  },
  codex: {
    file: '~/.codex/config.toml',
    text: (entries) =>
      `# mine\r\n${Object.entries(entries)
        .map(([name, entry]) => tomlTable(name, entry))
        .join('')
        .replaceAll('\n', '\r\n')}`,
  },
  cursor: {
    file: '~/.cursor/mcp.json',
    text: (entries) => json({ mcpServers: entries }, 4).replace('{', '{ // mine'),
  },
  vscode: {
    file: appData(platform, 'Code/User/mcp.json'),
    text: (entries) => json({ inputs: [], servers: typed(entries) }, '\t'),
  },
  // It starts local programs only.
  'claude-desktop': {
    file: appData(platform, 'Claude/claude_desktop_config.json'),
    text: (entries) =>
      JSON.stringify({
        globalShortcut: '',
        mcpServers: Object.fromEntries(Object.entries(entries).filter(([, entry]) => !('url' in entry))),
      }),
  },
};
