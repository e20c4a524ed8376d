import { basename, join } from 'node:path';
import { type Host, sameFolderKey } from '../../../model/index.js';
import type { ReadContext } from '../../client.js';
import { at, isFields } from '../../fields.js';
import { glob } from '../../glob.js';
import { type Paths, resolveTemplate, templatesFor } from '../../path-template.js';

/** The directory of the user's Claude Code configuration. */
export const HOME = '<CLAUDE_CONFIG_DIR|~/.claude>';
/** The state file, which also contains the servers. */
export const STATE_FILE = '<CLAUDE_CONFIG_DIR|~>/.claude.json';

/** A managed file; on Windows the default path counts even if a variable names another one. */
export function managed(name: string): Paths {
  return {
    darwin: `/Library/Application Support/ClaudeCode/${name}`,
    linux: `/etc/claude-code/${name}`,
    win32: [`/Program Files/ClaudeCode/${name}`, `<ProgramFiles>/ClaudeCode/${name}`],
  };
}

export const MANAGED_SETTINGS = managed('managed-settings.json');
export const MANAGED_DROP_INS = managed('managed-settings.d/*.json');

/** The settings files in increasing order of precedence, and the state file's record of this directory. */
export interface ClaudeCodeSettings {
  readonly user: unknown;
  readonly project: unknown;
  readonly local: unknown;
  /** All managed files, merged. */
  readonly managed: unknown;
  /** Managed files that exist and cannot be read. */
  readonly broken: readonly string[];
  readonly folder: readonly unknown[];
  readonly isTrusted: boolean;
  /** Whether a managed server file exists, readable or not. */
  readonly isExclusive: boolean;
}

export async function readSettings(context: ReadContext): Promise<ClaudeCodeSettings> {
  const { host } = context;
  const read = async (path: string | undefined) => path && (await context.read(path, 'json'))?.value;
  const folder = folderRecords(await read(resolveTemplate(STATE_FILE, host)[0]?.path), host).map(
    ([, record]) => record,
  );
  const trust = folder.map((record) => at(record, 'hasTrustDialogAccepted'));
  const managedFiles = paths(MANAGED_SETTINGS, host);
  const dropIns = paths(MANAGED_DROP_INS, host)
    .flatMap((pattern) => glob(host.files, pattern).matches)
    .filter((path) => !basename(path).startsWith('.'));
  return {
    user: await read(resolveTemplate(`${HOME}/settings.json`, host)[0]?.path),
    project: await read(join(host.cwd, '.claude', 'settings.json')),
    local: await read(join(host.cwd, '.claude', 'settings.local.json')),
    managed: (await Promise.all([...managedFiles, ...dropIns].map(read))).reduce<unknown>(merge, {}),
    broken: await brokenAmong([...managedFiles, ...dropIns], context),
    folder,
    // The state file may spell one directory in several ways; the most cautious record counts.
    isTrusted: trust.includes(true) && !trust.includes(false),
    isExclusive: paths(managed('managed-mcp.json'), host).some((path) => host.files.read(path).kind !== 'absent'),
  };
}

async function brokenAmong(files: readonly string[], { host, read }: ReadContext): Promise<string[]> {
  const broken = await Promise.all(
    files.map(async (path) => {
      const reading = host.files.read(path);
      const isEmpty = reading.kind === 'absent' || (reading.kind === 'read' && reading.text.trim() === '');
      return isEmpty || (await read(path, 'json')) !== undefined ? [] : [path];
    }),
  );
  return broken.flat();
}

/** The records of this directory, or otherwise of its repository, in the state file's `projects`. */
export function folderRecords(state: unknown, host: Host): [key: string, record: unknown][] {
  const projects = at(state, 'projects');
  const all = isFields(projects) ? Object.entries(projects) : [];
  const of = (folder: string) => all.filter(([key]) => sameFolderKey(key, host) === sameFolderKey(folder, host));
  const here = of(host.cwd);
  return here.length > 0 || host.repository === undefined ? here : of(host.repository);
}

/** Concatenates lists, merges maps, and otherwise uses the later value. */
function merge(held: unknown, next: unknown): unknown {
  if (next === undefined) return held;
  if (Array.isArray(held) && Array.isArray(next)) return [...held, ...next];
  if (!isFields(held) || !isFields(next)) return next;
  const changed = Object.entries(next).map(([key, value]) => [key, merge(at(held, key), value)]);
  return { ...held, ...Object.fromEntries(changed) };
}

function paths(templates: Paths, host: Host): string[] {
  const all = templatesFor(templates, host.platform).flatMap((one) => resolveTemplate(one, host));
  return [...new Set(all.map(({ path }) => path))];
}
