import { sha256 } from '../base/index.js';
import { configFolder, secretFiles } from '../discovery/index.js';
import type { Definition, Host } from '../model/index.js';
import { isFromRepository } from '../policy/index.js';
import { readSecretRecords, type SecretRecord, sameSource, secretReference, secretsIn } from '../secrets/index.js';
import { clientFileOf } from '../sources/index.js';

/** A reference to a stored value in an entry, and whether the entry may use it. */
export type StoredReference =
  | { readonly kind: 'usable'; readonly id: string; readonly record: SecretRecord }
  | { readonly kind: 'refused'; readonly id: string; readonly name: string | undefined; readonly because: string };

/** The references to stored values in an entry. Reads no value. */
export function storedReferencesIn(definition: Definition, host: Host): StoredReference[] {
  const ids = idsIn(definition);
  if (ids.length === 0) return [];
  const records = readSecretRecords(secretFiles(host, configFolder(host)).records, host.files);
  return ids.map((id): StoredReference => {
    const record = records.find((one) => one.id === id);
    // Another entry may have copied the reference, for example from a shared file.
    if (!record || record.server !== definition.name || !sameSource(record.source, clientFileOf(definition.source)))
      return {
        kind: 'refused',
        id,
        name: fieldOf(id, definition),
        because: 'refers to a stored value that belongs to another entry, or is not stored here',
      };
    if (isFromRepository(definition, host) && record.launch !== launchHash(definition))
      return { kind: 'refused', id, name: plainName(record), because: `has changed since ${record.name} was stored` };
    return { kind: 'usable', id, record };
  });
}

/** The ids are cached per definition, because every call needs them. */
const known = new WeakMap<Definition, readonly string[]>();

function idsIn(definition: Definition): readonly string[] {
  const ids = known.get(definition) ?? [...new Set(textsOf(definition).flatMap(secretsIn))];
  known.set(definition, ids);
  return ids;
}

/** Changes with every value that `portolan set` stores for the entry, so that a running server is started again. */
export function storedRevision(definition: Definition, host: Host): string {
  const ids = idsIn(definition);
  if (ids.length === 0) return '';
  const records = readSecretRecords(secretFiles(host, configFolder(host)).records, host.files);
  return ids.map((id) => records.find((one) => one.id === id)?.revision ?? '').join(' ');
}

/** The name that `portolan set` takes. */
export function plainName({ name }: SecretRecord): string {
  return name.replace(/^input:/, '');
}

function textsOf({ env = {}, headers = {}, args = [], url }: Definition): string[] {
  return [...Object.values(env), ...Object.values(headers), ...args, ...(url === undefined ? [] : [url])];
}

/** The variable or header that contains the reference. */
function fieldOf(id: string, { env = {}, headers = {} }: Definition): string | undefined {
  return [...Object.entries(env), ...Object.entries(headers)].find(([, text]) => secretsIn(text).includes(id))?.[0];
}

/** What receives the values of an entry, without the values themselves. */
export function launchHash({ written, headersHelper }: Definition): string {
  const { command, args, url, cwd, envFile, env = {} } = written;
  // A variable such as NODE_OPTIONS decides what runs. Stored and empty values do not, and `set` changes them.
  const variables = Object.entries(env)
    .filter(([, text]) => text.trim() !== '' && !isReference(text))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sha256(JSON.stringify([command, args, url, cwd, envFile, headersHelper, variables].map((one) => one ?? null)));
}

function isReference(text: string): boolean {
  const [id = ''] = secretsIn(text);
  return text === secretReference(id);
}
