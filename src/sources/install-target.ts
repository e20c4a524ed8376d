import type { EditFormat, EntryPath, Plain } from '../config-edit/index.js';
import type { Host } from '../model/index.js';
import type { Client, Place, Program } from './client.js';
import type { Format } from './formats/document.js';
import { parseText } from './formats/index.js';
import { glob } from './glob.js';
import { resolveTemplate, templatesFor } from './path-template.js';

/** One file into which a client's servers are written, and how. */
export interface Entrance {
  readonly path: string;
  readonly exists: boolean;
  readonly format: EditFormat;
  /** Every way in which an entry of this name can be addressed there, the usual one first. */
  addresses(name: string): readonly EntryPath[];
  entry(program: Program, name: string): Plain;
  /** What a new file has to hold besides. */
  readonly blank?: string;
  /** Whether the client would find an entry of this name in the text. */
  finds(name: string, text: string): Promise<boolean>;
}

/** The files of a client that people change, those that are there first; none for a client that keeps no such file. */
export function entrancesOf(client: Client, host: Host): Entrance[] {
  const places = client.places.filter((place) => place.install).toSorted((a, b) => b.precedence - a.precedence);
  const all = places.flatMap((place) => pathsOf(place, host).map((path) => entrance(place, path, host)));
  return [...all.filter(({ exists }) => exists), ...all.filter(({ exists }) => !exists)];
}

/** The paths of a place; the one to make first, of patterns only what is there. */
function pathsOf(place: Place, host: Host): string[] {
  const templates = [place.install?.file ?? [], templatesFor(place.path, host.platform)].flat();
  const paths = templates
    .flatMap((template) => resolveTemplate(template, host))
    .flatMap(({ path, base, pattern }) => (pattern ? glob(host.files, path, base).matches : [path]));
  return [...new Set(paths)];
}

function entrance(place: Place, path: string, host: Host): Entrance {
  const { key = [], otherKeys = [], list = false, entry, blank } = place.install ?? {};
  return {
    path,
    exists: host.files.exists(path),
    format: editFormat(place.format),
    addresses: (name) => [key, ...otherKeys].map((keys) => ({ path: [...keys, name], list })),
    entry: (program, name) => entry?.(program, name) ?? { ...program },
    ...(blank !== undefined && { blank }),
    async finds(name, text) {
      const parsed = await parseText(text, place.format);
      if (parsed.kind !== 'parsed') return false;
      const read = () => Promise.resolve({ kind: 'absent' as const });
      const { entries } = await place.find(parsed.document.value, { source: path, host, read });
      return entries.some((one) => one.name === name && !one.ignored);
    },
  };
}

function editFormat(format: Format): EditFormat {
  // What is JSON5 and not JSON with comments is refused when it is parsed.
  return format === 'toml' || format === 'yaml' ? format : 'json';
}
