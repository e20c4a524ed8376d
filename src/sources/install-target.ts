import type { EditFormat, EntryPath, Plain } from '../config-edit/index.js';
import { ancestors, type Host } from '../model/index.js';
import type { Client, Installation, LaunchCommand, Place } from './client.js';
import type { Format } from './formats/document.js';
import { parseText } from './formats/index.js';
import { glob } from './glob.js';
import { resolveTemplate, templatesFor } from './path-template.js';

/** A file to which a client's servers are written, and how. */
export interface InstallTarget {
  readonly path: string;
  readonly exists: boolean;
  readonly format: EditFormat;
  /** All paths at which an entry of this name may be, the usual one first. */
  addresses(name: string): readonly EntryPath[];
  entry(program: LaunchCommand, name: string): Plain;
  /** Further content that a new file needs. */
  readonly blank?: string;
  /** Whether the client would find an entry of this name in the text. */
  finds(name: string, text: string): Promise<boolean>;
}

/** The files of a client that people edit, existing ones first; none if the client has no such file. */
export function installTargetsOf(client: Client, host: Host): InstallTarget[] {
  const all = client.places
    .toSorted((a, b) => b.precedence - a.precedence)
    .flatMap((place) => {
      const { install } = place;
      return install ? pathsOf(place, install, host).map((path) => installTarget(place, install, path, host)) : [];
    });
  return [...all.filter(({ exists }) => exists), ...all.filter(({ exists }) => !exists)];
}

/** The shared server file of a project in each directory where it may be, nearest first. */
export function projectInstallTargets(clients: readonly Client[], host: Host): InstallTarget[] {
  // If the home directory is itself a repository, the projects in it have no repository of their own.
  const isHome = host.repository !== undefined && ancestors(host.home).includes(host.repository);
  const project: Host = isHome ? { ...host, repository: undefined } : host;
  return clients
    .flatMap((client) => client.places)
    .flatMap((place) => {
      const { shared } = place;
      if (!shared) return [];
      return resolveTemplate(shared.file, project).map(({ path }) => installTarget(place, shared, path, host));
    });
}

/** The paths of a place: the path to create first; for patterns only existing files. */
function pathsOf(place: Place, { file }: Installation, host: Host): string[] {
  const templates = [file ?? [], templatesFor(place.path, host.platform)].flat();
  const paths = templates
    .flatMap((template) => resolveTemplate(template, host))
    .flatMap(({ path, base, pattern }) => (pattern ? glob(host.files, path, base).matches : [path]));
  return [...new Set(paths)];
}

function installTarget(place: Place, installation: Installation, path: string, host: Host): InstallTarget {
  const { key, otherKeys = [], list = false, entry, blank } = installation;
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

export function editFormat(format: Format): EditFormat {
  // JSON5 that is not valid JSONC is rejected when it is parsed.
  return format === 'toml' || format === 'yaml' ? format : 'json';
}
