import { judge, messageOf, readFolder } from './entry-files.js';
import { readForeignRegistry } from './foreign-registry.js';
import { checkRegistryPaths, placeOf } from './private-folder.js';
import { type ProcessSnapshot, readProcesses, readProcessesWithoutSpawn } from './process-liveness.js';
import type { RegisteredServer } from './server-info.js';

/** The limit for callers that only list servers: a repository can contain a directory full of files. */
const MOST_SERVERS = 128;

/** The running servers of one registry, and the rejected files. */
export interface RegistryReading {
  readonly servers: readonly RegisteredServer[];
  readonly problems: readonly string[];
}

/**
 * Reads the registry whose view is at `path`. Never writes and never rejects. Starts no process to check others, unless
 * `isExact`.
 */
export async function readRegistry(path: string, isExact = false): Promise<RegistryReading> {
  const place = placeOf(path);
  const readSnapshot = isExact ? readProcesses : readProcessesWithoutSpawn;
  try {
    // Without the directory, the file is not our view but a registry of another program.
    if (checkRegistryPaths(place) === 'absent') return await readForeign(path, readSnapshot);
    const reading = readFolder(place, isExact ? undefined : MOST_SERVERS);
    const { uptime } = process.getBuiltinModule('node:os');
    return { servers: (await judge(reading, uptime(), readSnapshot)).running, problems: reading.problems };
  } catch (error) {
    return { servers: [], problems: [messageOf(error)] };
  }
}

async function readForeign(path: string, readSnapshot: () => Promise<ProcessSnapshot>): Promise<RegistryReading> {
  const reading = await readForeignRegistry(path, { readSnapshot });
  switch (reading.kind) {
    case 'absent':
      return { servers: [], problems: [] };
    case 'failed':
      return { servers: [], problems: [reading.message] };
    case 'read':
      return { servers: reading.servers, problems: [] };
  }
}
