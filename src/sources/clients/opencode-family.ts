import { dirname, resolve } from 'node:path';
import { type Host, variable } from '../../model/index.js';
import type { Installation, Place } from '../client.js';
import { opencodeDialect } from '../dialects/agent-dialects.js';
import { expansion, plainEnv, plainFile, WHOLE_ENTRY } from '../expansion.js';
import { at, isFields } from '../fields.js';
import { type Finder, membersOf } from '../find-entries.js';
import { DISABLED, NOT_ENABLED } from '../off-switches.js';
import { referencedFile } from '../referenced-file.js';

/** `mcp`, or `mcp.servers` in the second generation, distinguished by the content. */
const opencodeServers: Finder = (root) => {
  const nested = at(root, 'mcp', 'servers');
  // A server that is named `servers` has a type, or only a flag if a lower layer defines it.
  const isServer =
    isFields(nested) && ['type', 'enabled'].some((key) => !isFields(nested[key]) && nested[key] !== undefined);
  return isFields(nested) && !isServer ? membersOf(nested, ['mcp', 'servers']) : membersOf(at(root, 'mcp'), ['mcp']);
};

/**
 * OpenCode replaces references in the text before parsing, so they may stand for numbers and booleans too. Those outside
 * strings are filled in here; those inside strings keep their syntax and are expanded later.
 */
export function fillBareReferences(text: string, host: Host, source: string): string {
  if (!/\{(?:env|file):/.test(text)) return text;
  const folder = resolve(host.cwd, dirname(source));
  const notable = /["/{]/g;
  const reference = /\{(env|file):([^{}]+)\}/y;
  let filled = '';
  let done = 0;
  for (let match = notable.exec(text); match; match = notable.exec(text)) {
    reference.lastIndex = match.index;
    const [whole = '', kind, name = ''] = (match[0] === '{' && reference.exec(text)) || [];
    if (kind !== undefined) {
      const value = kind === 'env' ? variable(host, name.trim()) : referencedFile(name.trim(), folder, host);
      filled += text.slice(done, match.index) + (value ?? '');
      done = match.index + whole.length;
    }
    notable.lastIndex = kind === undefined ? endOf(text, match.index) : done;
  }
  return filled + text.slice(done);
}

/** The end of the string or comment that starts here, or the next character. */
function endOf(text: string, start: number): number {
  const after = (mark: string, from: number): number => {
    const found = text.indexOf(mark, from);
    return found < 0 ? text.length : found + mark.length;
  };
  if (text.startsWith('//', start)) return after('\n', start);
  if (text.startsWith('/*', start)) return after('*/', start + 2);
  if (text[start] !== '"') return start + 1;
  let end = after('"', start + 1);
  while (end < text.length && isEscaped(text, end - 1)) end = after('"', end);
  return end;
}

/** A loop, because a regular expression overflows the stack on a string with millions of escapes. */
function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text[first - 1] === '\\') first -= 1;
  return (index - first) % 2 === 1;
}

export const opencodeInstallation: Installation = {
  key: ['mcp'],
  otherKeys: [['mcp', 'servers']],
  entry: ({ command, args }) => ({ type: 'local', command: [command, ...args] }),
};

/** The common part of OpenCode and the programs based on it. */
export const opencodePlace = {
  format: 'json',
  find: opencodeServers,
  dialect: opencodeDialect,
  expansion: expansion([plainEnv, plainFile], {
    fields: WHOLE_ENTRY,
    unset: 'empty',
  }),
  prepare: fillBareReferences,
  // The second generation has the servers one level deeper and inverts the flag.
  off: (path) => (path.length > 2 ? DISABLED : NOT_ENABLED),
} satisfies Partial<Place>;
