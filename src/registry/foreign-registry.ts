import { isObject, PortolanError } from '../base/index.js';
import { messageOf } from './entry-files.js';
import { parseEntryJson, toRegistryEntry } from './parse-entry.js';
import { readOwn } from './private-folder.js';
import { livenessOf, type ProcessSnapshot, readProcesses } from './process-liveness.js';
import { isServerId, type RegisteredServer } from './server-info.js';

const MAX_FOREIGN_BYTES = 1024 * 1024;
const MAX_FOREIGN_SERVERS = 256;
/** Its writers overwrite it in place, so a read may see half of it. A complete one follows within this many reads. */
const MAX_READS = 5;
const READ_AGAIN_MS = 20;
/** The boot time is known to a second or two; an entry older than this was written before it. */
const BOOT_SLACK_MS = 60_000;

/** Absent, failed and read are different results, as for any file of other programs. */
export type ForeignReading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'read'; readonly servers: readonly RegisteredServer[] };

/**
 * Reads a registry of another program (`.nisaba/mcp_servers.json`). Portolan never writes it, because its writers
 * coordinate by a lock that we do not know.
 */
export async function readForeignRegistry(
  path: string,
  {
    now = Date.now,
    readSnapshot = readProcesses,
  }: { readonly now?: () => number; readonly readSnapshot?: () => Promise<ProcessSnapshot> } = {},
): Promise<ForeignReading> {
  for (let n = 1; ; n += 1) {
    try {
      const text = readOwn(path, MAX_FOREIGN_BYTES);
      if (text === undefined) return { kind: 'absent' };
      const value = parseEntryJson(text);
      if (isObject(value)) return { kind: 'read', servers: await alive(value.servers, now(), readSnapshot) };
    } catch (error) {
      if (error instanceof PortolanError || n === MAX_READS) return { kind: 'failed', message: messageOf(error) };
    }
    if (n === MAX_READS) return { kind: 'failed', message: `${path} is not a server registry` };
    await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS));
  }
}

async function alive(
  servers: unknown,
  now: number,
  readSnapshot: () => Promise<ProcessSnapshot>,
): Promise<readonly RegisteredServer[]> {
  if (!isObject(servers)) return [];
  const snapshot = await readSnapshot();
  const boot = now - process.getBuiltinModule('node:os').uptime() * 1000;
  return Object.entries(servers)
    .slice(0, MAX_FOREIGN_SERVERS)
    .flatMap(([id, value]): RegisteredServer[] => {
      const entry = isServerId(id) ? toRegistryEntry(value) : undefined;
      if (entry === undefined) return [];
      // The entry has no start time of its process. If it is older than the last boot, the pid belongs to another
      // process.
      if (Date.parse(entry.started_at) < boot - BOOT_SLACK_MS) return [];
      const identity = { boot: '', pid: entry.pid, start: '' };
      if (livenessOf(identity, snapshot) !== 'alive') return [];
      return [{ id, ...entry, start_identity: identity, liveness: 'alive' }];
    });
}
