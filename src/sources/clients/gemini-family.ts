import { dirname } from 'node:path';
import { ancestors, type Host, sameFolderKey } from '../../model/index.js';
import type { Place } from '../client.js';
import { geminiDialect } from '../dialects/agent-dialects.js';
import { bare, braced, type ExpandedField, type Expansion, expansion, percent } from '../expansion.js';
import { at, isFields, names } from '../fields.js';
import { under } from '../find-entries.js';
import { EXCLUDED } from '../off-switches.js';

const plain = expansion([braced, bare]);
const withPercent = expansion([braced, bare, percent]);

/** `$VAR` everywhere, and `%VAR%` only in the environment of the server on Windows. */
const geminiExpansion: Expansion = {
  ...plain,
  fields: new Set<ExpandedField>(['command', 'args', 'env', 'cwd', 'url', 'headers']),
  expand: (text, context, field) => (field === 'env' ? withPercent : plain).expand(text, context, field),
};

export const geminiPlace = {
  format: 'json',
  find: under('mcpServers'),
  dialect: geminiDialect,
  expansion: geminiExpansion,
  off: EXCLUDED,
} satisfies Partial<Place>;

/** Whether the allow and exclude lists of a settings file disable a server. */
export function isListedOut(settings: unknown, name: string): boolean {
  const allowed = at(settings, 'mcp', 'allowed') ?? at(settings, 'allowMCPServers');
  const excluded = at(settings, 'mcp', 'excluded') ?? at(settings, 'excludeMCPServers');
  return names(excluded).includes(name) || (Array.isArray(allowed) && !names(allowed).includes(name));
}

/** The trust of this directory in the file of trusted directories: the nearest rule decides. */
export function folderTrust(folders: unknown, host: Host): 'trusted' | 'untrusted' | 'unknown' {
  if (!isFields(folders)) return 'unknown';
  const rules = new Map(
    Object.entries(folders).map(([folder, rule]) => [
      sameFolderKey(rule === 'TRUST_PARENT' ? dirname(folder) : folder, host),
      rule,
    ]),
  );
  const nearest = ancestors(host.cwd)
    .map((folder) => rules.get(sameFolderKey(folder, host)))
    .find((rule) => rule !== undefined);
  if (nearest === 'DO_NOT_TRUST') return 'untrusted';
  return nearest === undefined ? 'unknown' : 'trusted';
}

/** Parses `NAME=value` lines, in the subset that all readers of such files share. */
export function readEnvFile(path: string, host: Host): Record<string, string> {
  const reading = host.files.read(path);
  if (reading.kind !== 'read') return {};
  const pairs = reading.text.split('\n').flatMap((line): [string, string][] => {
    const match = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line);
    if (!match) return [];
    const [, name = '', value = ''] = match;
    const quoted = /^(["'])(.*)\1$/.exec(value);
    return [[name, quoted ? (quoted[2] ?? '') : value.replace(/\s+#.*$/, '')]];
  });
  return Object.fromEntries(pairs);
}
