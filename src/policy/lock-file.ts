import { join } from 'node:path';
import type { Definition, Host, Problem } from '../model/index.js';
import type { LaunchContent } from './fingerprint.js';
import { reviewHash, shownForm } from './rulings.js';

/** The servers that a team reviewed and committed. It approves nothing: it only changes the wording of the question. */
const LOCK_FILE = 'portolan.lock.json';

export interface Lock {
  readonly path: string;
  /** The hashes of the reviewed definitions; names do not matter. */
  readonly reviewed: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

export function readLock(host: Host): Lock {
  const path = join(host.repository ?? host.cwd, LOCK_FILE);
  const reading = host.files.read(path);
  const lock = (reviewed: ReadonlySet<string>, why?: string): Lock => ({
    path,
    reviewed,
    problems: why === undefined ? [] : [unusable(path, why)],
  });
  if (reading.kind === 'absent') return lock(new Set());
  if (reading.kind === 'failed') return lock(new Set(), `it ${reading.message}`);
  const reviewed = parseLock(reading.text);
  return reviewed ? lock(reviewed) : lock(new Set(), 'it is not valid');
}

/** The lock file for these definitions: one entry per server, in a stable order. */
export function writtenLock(definitions: readonly Definition[]): string {
  const servers = new Map<string, { hash: string; entry: LaunchContent }>();
  const entries = definitions.map((definition) => ({ definition, hash: reviewHash(definition) }));
  for (const { definition, hash } of entries.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))) {
    // Two files of a repository may contain different servers with the same name.
    let name = definition.name;
    for (let n = 2; servers.has(name); n += 1) name = `${definition.name}_${n}`;
    servers.set(name, { hash, entry: shownForm(definition) });
  }
  return `${JSON.stringify({ version: 1, servers: Object.fromEntries(servers) }, null, 2)}\n`;
}

function orderOf({ definition, hash }: { definition: Definition; hash: string }): string {
  return `${definition.name}\0${hash}`;
}

function parseLock(text: string): ReadonlySet<string> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const servers = typeof value === 'object' && value !== null && 'servers' in value ? value.servers : undefined;
    if (typeof servers !== 'object' || servers === null) return undefined;
    const hashes = Object.values(servers).map((entry: unknown) =>
      typeof entry === 'object' && entry !== null && 'hash' in entry ? entry.hash : undefined,
    );
    return new Set(hashes.filter((hash) => typeof hash === 'string'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function unusable(source: string, why: string): Problem {
  return {
    code: 'lock-unusable',
    severity: 'warning',
    message: `the team's lock file is ignored: ${why}`,
    hint: 'restore it from version control, or write it again with `portolan lock`',
    source,
  };
}
