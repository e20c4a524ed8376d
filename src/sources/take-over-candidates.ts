import type { EditFormat, EntryPath } from '../config-edit/index.js';
import type { Definition, Host, Scope } from '../model/index.js';
import type { Client, OffSwitch, Place } from './client.js';
import { at, names } from './fields.js';
import type { RawEntry } from './find-entries.js';
import type { Document } from './formats/document.js';
import { parseText } from './formats/index.js';
import { editFormat } from './install-target.js';
import { Reader } from './source-reader.js';
import { recordOf } from './take-over-record.js';
import { toDefinition } from './to-definition.js';

/** The scopes whose files people edit; the others belong to administrators, plugins and programs. */
export const EDITED_SCOPES: ReadonlySet<Scope> = new Set(['user', 'local', 'profile', 'project']);

/** An entry that its client starts, and how to stop that. */
export interface Startable {
  readonly definition: Definition;
  readonly at: EntryPath;
  readonly off?: OffSwitch;
}

/** An entry that a take-over leaves where it is. */
export interface LeftEntry {
  readonly name: string;
  readonly because: string;
}

/** A file of a client with entries that it starts. */
export interface StartedFile {
  readonly path: string;
  readonly scope: Scope;
  readonly format: EditFormat;
  readonly entries: readonly Startable[];
  readonly left: readonly LeftEntry[];
}

/** A file of a client with a take-over in force. */
export type TakenOverFile = Pick<StartedFile, 'path' | 'scope' | 'format'>;

/** What the client starts by itself, from all files that people edit. Nothing is changed. */
export async function startedFiles(client: Client, host: Host): Promise<StartedFile[]> {
  const reader = new Reader(host);
  const files = new Map<string, StartedFile>();
  for (const place of client.places) {
    // Files with a remark are those that the client itself no longer reads.
    if (!EDITED_SCOPES.has(place.scope) || place.remark || place.given || place.variable !== undefined) continue;
    if (place.state === 'inventory-only' || place.format === 'text' || place.format === 'front-matter') continue;
    for (const { path, unmatched } of reader.spots(place, [])) {
      if (unmatched) continue;
      const found = await startedIn(client, place, path, host);
      if (!found) continue;
      const known = files.get(path) ?? {
        path,
        scope: place.scope,
        format: editFormat(place.format),
        entries: [],
        left: [],
      };
      files.set(path, {
        ...known,
        entries: [...known.entries, ...found.entries],
        left: [...known.left, ...found.left],
      });
      if (place.firstOnly) break;
    }
  }
  return [...files.values()];
}

/** The files of a client that a take-over has changed. */
export function takenOverFiles(client: Client, host: Host): TakenOverFile[] {
  const reader = new Reader(host);
  const found = client.places
    .filter(({ scope }) => EDITED_SCOPES.has(scope))
    .flatMap((place) =>
      [...reader.spots(place, [])].map(({ path }) => ({ path, scope: place.scope, format: editFormat(place.format) })),
    )
    .filter(({ path }) => host.files.exists(recordOf(path)));
  return [...new Map(found.map((file) => [file.path, file])).values()];
}

async function startedIn(
  client: Client,
  place: Place,
  path: string,
  host: Host,
): Promise<Pick<StartedFile, 'entries' | 'left'> | undefined> {
  const reading = host.files.read(path);
  if (reading.kind !== 'read') return undefined;
  const text = place.prepare ? place.prepare(reading.text, host, path) : reading.text;
  const parsed = await parseText(text, place.format);
  if (parsed.kind !== 'parsed') return undefined;
  const { document } = parsed;
  const find = place.findEverywhere ?? place.find;
  const { entries } = await find(document.value, { source: path, host, read: async () => ({ kind: 'absent' }) });
  const started: Startable[] = [];
  const left: LeftEntry[] = [];
  for (const written of entries) {
    const found = startableOf(client, place, { path, document, written, host });
    if (found && 'because' in found) left.push(found);
    else if (found) started.push(found);
  }
  return { entries: started, left };
}

interface FoundEntry {
  readonly path: string;
  readonly document: Document;
  readonly written: RawEntry;
  readonly host: Host;
}

/** Undefined if the client does not start the entry. */
function startableOf(
  client: Client,
  place: Place,
  { path, document, written, host }: FoundEntry,
): Startable | LeftEntry | undefined {
  const { name } = written;
  const { precedence } = place;
  const located = {
    client: client.id,
    place,
    source: path,
    line: document.lineOf(written.path) ?? 1,
    precedence,
    written,
  };
  const { definition } = toDefinition(located, host, undefined);
  if (!definition || written.ignored) return undefined;
  const isOff = !definition.enabled || ['client-ignores', 'inventory-only', 'disabled'].includes(definition.state);
  if (isOff) return definition.enabled ? undefined : { name, because: 'it is disabled' };
  const entry = addressOf(written, document);
  if (!entry || written.elsewhere) return { name, because: 'Portolan cannot edit an entry at this place' };
  const off = typeof place.off === 'function' ? place.off(entry.path) : place.off;
  if (off && 'list' in off && names(at(document.value, ...off.list)).includes(name))
    return { name, because: 'it is disabled' };
  return { definition, at: entry, ...(off && { off }) };
}

/** The keys of an entry, or of a list that has the name inside. */
function addressOf({ path, name, value }: RawEntry, { value: root }: Document): EntryPath | undefined {
  const keys = path.filter((key) => typeof key === 'string');
  if (keys.length === path.length) return keys.length === 0 ? undefined : { path: keys, list: false };
  const isLast = keys.length === path.length - 1 && typeof path.at(-1) === 'number';
  if (!isLast || at(value, 'name') !== name || !Array.isArray(at(root, ...keys))) return undefined;
  return { path: [...keys, name], list: true };
}
