import type { EditFormat } from '../config-edit/index.js';
import type { Definition, Host } from '../model/index.js';
import { CLIENTS } from './client-table.js';
import { isFields } from './fields.js';
import { Reader } from './source-reader.js';
import { clientFileOf } from './take-over-record.js';

/** The place of one variable or header in a file. */
export interface EntryField {
  readonly format: EditFormat;
  readonly path: readonly string[];
}

/** The names that clients give the map of variables, or of headers. */
const MAPS = {
  env: ['env', 'environment', 'envs'],
  headers: ['headers', 'http_headers', 'requestInit'],
} as const;

/** Finds where an entry has a variable or header, or where to add it. Undefined if the file cannot be edited. */
export async function findEntryField(
  { client, source, name }: Definition,
  field: keyof typeof MAPS,
  wanted: string,
  host: Host,
): Promise<EntryField | undefined> {
  const reader = new Reader(host);
  const path = clientFileOf(source);
  for (const place of CLIENTS.find(({ id }) => id === client)?.places ?? []) {
    const format = place.format === 'toml' || place.format === 'yaml' ? place.format : 'json';
    if (![...reader.spots(place, [])].some((spot) => spot.path === path)) continue;
    const reading = await reader.read({ path, bonus: 0, inProject: false }, place);
    if (reading.kind !== 'read') continue;
    const read = (named: string) => reader.readNamed(named);
    const { entries } = await place.find(reading.document.value, { source: path, host, read });
    const entry = entries.find((one) => one.name === name && one.elsewhere === undefined);
    // Editing inside a list would need the position, which another program may change.
    if (!entry || !isFields(entry.value) || !entry.path.every((key) => typeof key === 'string')) continue;
    const { value } = entry;
    const map = MAPS[field].find((key) => isFields(value[key])) ?? MAPS[field][0];
    return { format, path: [...entry.path.map(String), map, wanted] };
  }
  return undefined;
}
