import { type Files, isObject } from '../base/index.js';

/** One stored value. The value itself is in the key store, or encrypted in `sealed`. */
export interface SecretRecord {
  readonly id: string;
  /** The entry that may use the value: its name and file. */
  readonly server: string;
  readonly source: string;
  /** The variable or header, or the reference (`NAME`, `input:NAME`) that the value replaces. */
  readonly name: string;
  readonly store: 'key store' | 'encrypted file';
  /** The hash of the launch, for an entry of a repository: a changed command does not get the value. */
  readonly launch?: string;
  readonly sealed?: string;
  /** Another one for each value, so that a running server gets a replaced value. */
  readonly revision?: string;
}

/** Not the syntax of any client, so that each passes it on as plain text. */
const PREFIX = 'portolan-secret:';
const REFERENCE = /portolan-secret:([0-9a-f]{32})(?![0-9a-f])/g;
const MAX_RECORDS = 2_000;

export function secretReference(id: string): string {
  return `${PREFIX}${id}`;
}

/** The ids of the references in a text. */
export function secretsIn(text: string): readonly string[] {
  return text.includes(PREFIX) ? [...text.matchAll(REFERENCE)].map(([, id = '']) => id) : [];
}

/** The text with each reference replaced. */
export function withSecrets(text: string, secretOf: (id: string) => string): string {
  return text.includes(PREFIX) ? text.replaceAll(REFERENCE, (_, id: string) => secretOf(id)) : text;
}

/** The records of all stored values; entries that are not valid are dropped. */
export function readSecretRecords(path: string, files: Pick<Files, 'read'>): readonly SecretRecord[] {
  const reading = files.read(path);
  if (reading.kind !== 'read') return [];
  try {
    const value: unknown = JSON.parse(reading.text);
    const all = isObject(value) && Array.isArray(value.secrets) ? value.secrets : [];
    return all.slice(-MAX_RECORDS).filter(isRecord);
  } catch {
    return []; // edited by hand: a server then reports which value is missing
  }
}

export function recordsText(records: readonly SecretRecord[]): string {
  return `${JSON.stringify({ version: 1, secrets: records.slice(-MAX_RECORDS) }, null, 2)}\n`;
}

function isRecord(value: unknown): value is SecretRecord {
  if (!isObject(value)) return false;
  const { id, server, source, name, store, launch, sealed, revision } = value;
  const isStore = store === 'key store' || store === 'encrypted file';
  return (
    isStore &&
    [id, server, source, name].every((one) => typeof one === 'string') &&
    [launch, sealed, revision].every((one) => one === undefined || typeof one === 'string')
  );
}

/** The same file before and after a take-over, which moves the entries beside the client's file. */
export function sameSource(one: string, other: string): boolean {
  const plain = (path: string) => path.replace(/\.portolan-original$/, '');
  return plain(one) === plain(other);
}
