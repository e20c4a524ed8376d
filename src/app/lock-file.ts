import { join } from 'node:path';
import type { Definition, LaunchFields, Problem } from '../model/index.js';
import { reviewHash, shownForm } from '../policy/index.js';
import type { Host } from '../sources/index.js';

/** What a team reviewed and committed. It approves nothing: it only changes the words of the question. */
export const LOCK_FILE = 'portolan.lock.json';

export interface Lock {
  readonly path: string;
  readonly reviewed: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

export function readLock(host: Host): Lock {
  const path = join(host.repository ?? host.cwd, LOCK_FILE);
  const reading = host.files.read(path);
  const lock = (reviewed: ReadonlyMap<string, string>, why?: string): Lock => ({
    path,
    reviewed,
    problems: why === undefined ? [] : [unusable(path, why)],
  });
  if (reading.kind === 'absent') return lock(new Map());
  if (reading.kind === 'failed') return lock(new Map(), `it ${reading.message}`);
  const reviewed = parseLock(reading.text);
  return reviewed ? lock(reviewed) : lock(new Map(), 'it is not valid');
}

/** The lock file for these definitions: one entry a server, by name, in an order that never changes by itself. */
export function writtenLock(definitions: readonly Definition[]): string {
  const entries = definitions
    .map((definition): [string, { hash: string; entry: LaunchFields }] => [
      definition.name,
      { hash: reviewHash(definition), entry: shownForm(definition) },
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ version: 1, servers: Object.fromEntries(entries) }, null, 2)}\n`;
}

function parseLock(text: string): ReadonlyMap<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const servers = typeof value === 'object' && value !== null && 'servers' in value ? value.servers : undefined;
    if (typeof servers !== 'object' || servers === null) return undefined;
    const hashes = Object.entries(servers).flatMap(([name, entry]: [string, unknown]): [string, string][] => {
      const hash = typeof entry === 'object' && entry !== null && 'hash' in entry ? entry.hash : undefined;
      return typeof hash === 'string' ? [[name, hash]] : [];
    });
    return new Map(hashes);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function unusable(source: string, why: string): Problem {
  return {
    code: 'lock-unusable',
    severity: 'warning',
    message: `the team's lock file does not count: ${why}`,
    hint: 'restore it from version control, or write it again with `portolan lock`',
    source,
  };
}
