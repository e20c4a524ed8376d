import { sha256 } from '../../base/index.js';
import type { Definition } from '../../model/index.js';
import type { Client, Judge, World } from '../client.js';
import { claudeDialect } from '../dialects/claude.js';
import { at, type Fields, isFields } from '../fields.js';
import { type Host, sameFolderKey } from '../host.js';
import { resolveTemplate } from '../locate.js';
import { geminiPlace, isListedOut } from './gemini-family.js';

const HOME = '<QWEN_HOME|~/.qwen>';

export const qwenCode: Client = {
  id: 'qwen-code',
  name: 'Qwen Code',
  places: [
    { ...geminiPlace, scope: 'user', path: `${HOME}/settings.json`, precedence: 10 },
    { ...geminiPlace, scope: 'project', path: '<project>/.mcp.json', dialect: claudeDialect, precedence: 20 },
    { ...geminiPlace, scope: 'project', path: '<project>/.qwen/settings.json', precedence: 30 },
  ],
  judge,
};

/** A project's server runs only while its content is the one that was approved. */
async function judge({ host, read }: World): Promise<Judge> {
  const [settings] = resolveTemplate(`${HOME}/settings.json`, host);
  const [approvalsFile] = resolveTemplate(
    '<QWEN_CODE_MCP_APPROVALS_PATH|QWEN_HOME/mcpApprovals.json|~/.qwen/mcpApprovals.json>',
    host,
  );
  const user = settings && (await read(settings.path, 'json'))?.value;
  const approvals = approvalsFile && (await read(approvalsFile.path, 'json'))?.value;
  return (definition) => {
    if (isListedOut(user, definition.name)) return { state: 'disabled' };
    if (definition.scope !== 'project') return undefined;
    const record = recordFor(approvals, definition.name, host);
    if (at(record, 'status') === 'rejected') return { state: 'rejected' };
    const approved = at(record, 'status') === 'approved' && hashes(definition).includes(String(at(record, 'hash')));
    return { state: approved ? 'ready' : 'pending-approval' };
  };
}

function recordFor(approvals: unknown, name: string, host: Host): unknown {
  const folders = isFields(approvals) ? Object.entries(approvals) : [];
  const found = folders.find(([folder]) => sameFolderKey(folder, host) === sameFolderKey(host.cwd, host));
  return at(found?.[1], name);
}

/** The hash over the entry, with references as they are written and as they are resolved. */
function hashes(definition: Definition): string[] {
  const launch = ({ command, args, env, cwd, url, headers }: Definition['written']) => ({
    command,
    args,
    env,
    cwd,
    url,
    headers,
  });
  return [definition.written, launch(definition)].map((fields) => sha256(JSON.stringify(sorted(fields))));
}

function sorted(value: unknown): unknown {
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value as Fields)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
