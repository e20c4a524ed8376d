import type { Plain } from '../config-edit/index.js';
import type { Definition, Host, State } from '../model/index.js';
import { braced, expansion, WITH_SIGN_IN } from './expansion.js';

/** The rules for references in Portolan's own file. */
export const ownExpansion = expansion([braced], { fields: WITH_SIGN_IN });

/** A definition of another client as an entry of Portolan's file, or why it cannot be converted. */
export type OwnEntry =
  | { readonly kind: 'entry'; readonly entry: Readonly<Record<string, Plain>> }
  | { readonly kind: 'passed-over'; readonly because: string };

/** Entries in Portolan's file may run, so only servers that may run are imported. */
const SKIPPED_STATES: Readonly<Partial<Record<State, string>>> = {
  'pending-approval': 'it is not approved',
  rejected: 'it was rejected',
  'blocked-by-policy': 'a policy blocks it',
  'client-ignores': 'its own client ignores it',
  'inventory-only': 'it cannot be started from outside its client',
};

/** Copies a definition unexpanded, with the references of its client converted to Portolan's syntax. */
export function ownEntry(definition: Definition, host: Host): OwnEntry {
  const { scope, state, written, transport, enabled, timeoutMs, headersHelper } = definition;
  const because =
    SKIPPED_STATES[state] ??
    (scope === 'project' || scope === 'managed' ? `it is defined in a ${scope} file` : undefined);
  if (because !== undefined) return { kind: 'passed-over', because };
  const translate = (text: string, value: string): string => translated(text, value, definition.missing ?? [], host);
  const record = (field: 'env' | 'headers'): Record<string, string> | undefined => {
    const [texts, values] = [written[field], definition[field]];
    return (
      texts &&
      Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, translate(text, values?.[key] ?? text)]))
    );
  };
  try {
    const { command, args, url } = written;
    const entry: Readonly<Record<string, Plain | undefined>> = {
      type: transport === 'auto' || transport === 'stdio' ? undefined : transport,
      command: command === undefined ? undefined : translate(command, definition.command ?? command),
      args: args?.map((arg, n) => translate(arg, definition.args?.[n] ?? arg)),
      env: record('env'),
      // A directory is not secret, and a relative path could not be resolved from Portolan's file.
      cwd: definition.cwd,
      url: url === undefined ? undefined : translate(url, definition.url ?? url),
      headers: record('headers'),
      headersHelper,
      oauth: oauthEntry(definition, translate),
      timeout: timeoutMs,
      disabled: enabled ? undefined : true,
    };
    const given = Object.entries(entry).filter((pair): pair is [string, Plain] => pair[1] !== undefined);
    return { kind: 'entry', entry: Object.fromEntries(given) };
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error;
    return { kind: 'passed-over', because: error.message };
  }
}

function oauthEntry(
  { written, oauth = {} }: Definition,
  translate: (text: string, value: string) => string,
): Record<string, Plain> | undefined {
  const fields = Object.entries(written.oauth ?? {}).map(([key, text]): [string, Plain] => {
    const value = oauth[key];
    return [key, typeof text === 'string' && typeof value === 'string' ? translate(text, value) : text];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

class Untranslatable extends Error {}

/** Other clients' syntax for variables and the home directory. */
const SPELLINGS: readonly (readonly [pattern: RegExp, ours: string])[] = [
  [/\$\{env:([^{}]+)\}/g, '${$1}'],
  [/\$\{\{\s*secrets\.([\w.-]+)\s*\}\}/g, '${$1}'],
  [/(?<!\$)\{env:\s*([^{}]+?)\s*\}/g, '${$1}'],
  [/\$env:([A-Za-z_]\w*)/g, '${$1}'],
  [/\$\{userHome\}/g, '${HOME}'],
];
const BARE: readonly [RegExp, string] = [/\$([A-Za-z_]\w*)/g, '${$1}'];

/** Converts the references to equivalent ones. The value of a variable must not get into the file. */
function translated(text: string, value: string, missing: readonly string[], host: Host): string {
  const known = SPELLINGS.reduce((held, [pattern, ours]) => held.replaceAll(pattern, ours), text);
  // If the variable is unset, only its syntax can be converted.
  if (text === value && missing.some((name) => text.includes(name))) return known;
  const candidates = [text, known, known.replaceAll(...BARE)];
  const found = candidates.find((candidate) => meaning(candidate, host) === value);
  if (found === undefined) throw new Untranslatable('it uses references that only its own client understands');
  return found;
}

function meaning(text: string, host: Host): string {
  return ownExpansion.expand(text, { host, folder: '', variables: {}, readFile: () => undefined }, 'args').text;
}
