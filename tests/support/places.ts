import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { stringify } from 'smol-toml';
import { diskFiles } from '../../src/base/index.js';
import type { Host } from '../../src/model/index.js';
import type { Client, Place } from '../../src/sources/index.js';
import { resolveTemplate, templatesFor } from '../../src/sources/path-template.js';
import type { Machine, Platform } from './machine.js';

/** One file or variable that a client reads, with patterns replaced. */
export interface Spot {
  readonly place: Place;
  readonly path: string;
  readonly variable?: string;
}

export function hostOn(machine: Machine, platform: Platform): Host {
  const { home, project: cwd, root } = machine;
  return { platform, home, cwd, repository: undefined, env: {}, root, files: diskFiles, self: undefined };
}

/** Every path of the place on this machine. */
export function spotsOf(place: Place, machine: Machine, platform: Platform): Spot[] {
  if (place.variable !== undefined) {
    return [{ place, path: `env:${place.variable}`, variable: place.variable }];
  }
  const templates = templatesFor(place.path, platform);
  const spots = templates.flatMap((template) => resolveTemplate(template, hostOn(machine, platform)));
  return spots.map(({ path }) => ({ place, path: path.replaceAll('**', 'deep/er').replaceAll('*', 'x') }));
}

export function allSpots(client: Client, machine: Machine, platform: Platform): Spot[] {
  return client.places.flatMap((place) => spotsOf(place, machine, platform));
}

/** Writes the text to the file, or returns it as an environment variable. */
export function put(spot: Spot, text: string): Record<string, string> {
  if (spot.variable !== undefined) return { [spot.variable]: text };
  mkdirSync(dirname(spot.path), { recursive: true });
  writeFileSync(spot.path, text);
  return {};
}

/** Serializes a value in the format of the place. */
export function serialize(value: unknown, { format }: Place): string {
  switch (format) {
    case 'toml':
      return stringify(value);
    case 'front-matter':
      return `---\n${JSON.stringify(value)}\n---\n# An agent\n`;
    default:
      return JSON.stringify(value, null, 2); // JSON is also valid YAML
  }
}

type Entries = Readonly<Record<string, object>>;

/** The entry formats of the clients. */
const SPELLINGS: readonly ((fields: Fields) => object)[] = [
  ({ command, args, env }) => ({ command, args, env }),
  ({ command, args, env }) => ({ type: 'local', command: [command, ...args], environment: env }),
  ({ command, args, env }) => ({ type: 'stdio', cmd: command, args, envs: env }),
  ({ command, args, env }) => ({ transport: 'stdio', command, args, env }),
  ({ url, name }) => ({ type: 'mcp', url, info: { name } }),
];

/** The document formats of the clients. */
const CONTAINERS: readonly ((entries: Entries, machine: Machine) => unknown)[] = [
  (entries) => ({ mcpServers: entries }),
  (entries) => ({ servers: entries }),
  (entries) => ({ mcp_servers: entries }),
  (entries) => ({ mcp_servers: named(entries) }),
  (entries) => ({ context_servers: entries }),
  (entries) => ({ extensions: entries }),
  (entries) => ({ registry: entries }),
  (entries) => ({ mcp: entries }),
  (entries) => ({ mcp: { servers: entries } }),
  (entries) => ({ 'amp.mcpServers': entries }),
  (entries) => ({ tools: { mcpServers: entries } }),
  (entries) => ({ settings: { mcp: { servers: entries } } }),
  (entries) => ({ customizations: { vscode: { mcp: { servers: entries } } } }),
  (entries, { project }) => ({ projects: { [project]: { mcpServers: entries } } }),
  (entries) => ({ experimental: { modelContextProtocolServers: named(entries) } }),
  (entries) => ({ name: Object.keys(entries)[0], server: { mcp_config: Object.values(entries)[0] } }),
  (entries) => named(entries),
  (entries) => entries,
];

function named(entries: Entries): object[] {
  return Object.entries(entries).map(([name, entry]) => ({ name, ...entry }));
}

export interface Fields {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly url: string;
}

/** Writes entries in the format of a place. */
export interface Writer {
  readonly entry: (fields: Fields) => object;
  readonly document: (entries: Entries) => unknown;
}

/** The first format that the place can parse, tried in memory. */
export async function writerFor(spot: Spot, machine: Machine, platform: Platform): Promise<Writer | undefined> {
  const host = hostOn(machine, platform);
  const probe: Fields = {
    name: 'probe',
    command: 'node',
    args: ['probe.js'],
    env: {},
    url: 'https://probe.example/mcp',
  };
  for (const container of CONTAINERS) {
    for (const entry of SPELLINGS) {
      const document = (entries: Entries) => container(entries, machine);
      if (await understands(spot, document({ probe: entry(probe) }), host)) return { entry, document };
    }
  }
  return undefined;
}

async function understands({ place, path }: Spot, document: unknown, host: Host): Promise<boolean> {
  const read = () => Promise.resolve({ kind: 'absent' as const });
  const { entries, problems } = await place.find(document, { source: path, host, read });
  if (entries.length !== 1 || problems.length > 0 || entries.some(({ ignored }) => ignored)) return false;
  try {
    const [first] = entries;
    const draft = place.dialect(Object(first?.value));
    return draft !== undefined && draft.state !== 'client-ignores' && first?.name.endsWith('probe') === true;
  } catch {
    return false; // the dialect uses another format
  }
}
