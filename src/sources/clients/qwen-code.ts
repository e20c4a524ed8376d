import { sha256 } from '../../base/index.js';
import type { Definition } from '../../model/index.js';
import { type Host, sameFolderKey } from '../../model/index.js';
import type { Client, ReadContext, StateRule } from '../client.js';
import { claudeDialect } from '../dialects/claude-dialects.js';
import { at, type Fields, isFields } from '../fields.js';
import { resolveTemplate } from '../path-template.js';
import { geminiPlace, isListedOut } from './gemini-family.js';

const HOME = '<QWEN_HOME|~/.qwen>';
/** The list of excluded names is in the settings; a `.mcp.json` has none. */
const { off: _, ...sharedPlace } = geminiPlace;

export const qwenCode: Client = {
  id: 'qwen-code',
  name: 'Qwen Code',
  places: [
    { ...geminiPlace, scope: 'user', path: `${HOME}/settings.json`, precedence: 10, install: { key: ['mcpServers'] } },
    { ...sharedPlace, scope: 'project', path: '<project>/.mcp.json', dialect: claudeDialect, precedence: 20 },
    { ...geminiPlace, scope: 'project', path: '<project>/.qwen/settings.json', precedence: 30 },
  ],
  judge,
};

/** A decision about a project's server applies only while its content is unchanged. */
async function judge({ host, read }: ReadContext): Promise<StateRule> {
  const [settings] = resolveTemplate(`${HOME}/settings.json`, host);
  const [approvalsFile] = resolveTemplate(
    '<QWEN_CODE_MCP_APPROVALS_PATH|QWEN_HOME/mcpApprovals.json|~/.qwen/mcpApprovals.json>',
    host,
  );
  const user = settings && (await read(settings.path, 'json'))?.value;
  const approvals = approvalsFile && (await read(approvalsFile.path, 'json'))?.value;
  return (definition, _, entry) => {
    if (isListedOut(user, definition.name)) return { state: 'disabled' };
    if (definition.scope !== 'project') return undefined;
    const record = recordFor(approvals, definition.name, host);
    const decided = hashes(definition, entry).some((hash) => hash === at(record, 'hash'));
    const status = decided ? at(record, 'status') : undefined;
    if (status === 'rejected') return { state: 'rejected' };
    return { state: status === 'approved' ? 'ready' : 'pending-approval' };
  };
}

function recordFor(approvals: unknown, name: string, host: Host): unknown {
  const folders = isFields(approvals) ? Object.entries(approvals) : [];
  const found = folders.find(([folder]) => sameFolderKey(folder, host) === sameFolderKey(host.cwd, host));
  return at(found?.[1], name);
}

/** Fields that do not affect the server's behaviour. */
const COSMETIC = new Set(['description', 'scope', 'extensionName']);

/** The hashes of the entry with unexpanded and with expanded references. */
function hashes(definition: Definition, entry: unknown): string[] {
  // The hash function is recursive; a deeper entry cannot have been approved.
  if (!isFields(entry) || isDeeperThan(DEEPEST_ENTRY, entry)) return [];
  const { command, args, env, cwd, url, headers } = definition;
  const values: Fields = { command, args, env, cwd, url, httpUrl: url, tcp: url, headers };
  const written = Object.entries(entry).filter(([key]) => !COSMETIC.has(key));
  const resolved = written.map(([key, value]): [string, unknown] => [key, at(values, key) ?? value]);
  return [written, resolved].map((pairs) => sha256(JSON.stringify(sorted(Object.fromEntries(pairs)))));
}

const DEEPEST_ENTRY = 64;

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/** Sorts keys recursively; lists keep their order, which is significant. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(pairs.map(([key, item]) => [key, sorted(item)]));
}
