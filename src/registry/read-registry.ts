import { judge, messageOf, readFolder } from './entry-files.js';
import { readForeignRegistry } from './foreign-registry.js';
import { checkPlace, placeOf } from './private-folder.js';
import { glanceAtProcesses, lookAtProcesses, type ProcessLook } from './process-liveness.js';
import type { RegisteredServer } from './server-info.js';

/** A repository can bring a folder full of files: whoever only wants to know what runs reads so many of them. */
const MOST_SERVERS = 128;

/** Who runs according to one registry, and what of it was refused. */
export interface RegistryReading {
  readonly servers: readonly RegisteredServer[];
  readonly problems: readonly string[];
}

/** What `path`, the view of a registry, stands for now. Never writes and never rejects; starts nothing to ask about processes unless it is to be exact. */
export async function readRegistry(path: string, isExact = false): Promise<RegistryReading> {
  const place = placeOf(path);
  const lookNow = isExact ? lookAtProcesses : glanceAtProcesses;
  try {
    // Without a folder the file is not our view of it but another program's own.
    if (checkPlace(place) === 'absent') return await readForeign(path, lookNow);
    const reading = readFolder(place, isExact ? undefined : MOST_SERVERS);
    const { uptime } = process.getBuiltinModule('node:os');
    return { servers: (await judge(reading, uptime(), lookNow)).running, problems: reading.problems };
  } catch (error) {
    return { servers: [], problems: [messageOf(error)] };
  }
}

async function readForeign(path: string, lookNow: () => Promise<ProcessLook>): Promise<RegistryReading> {
  const reading = await readForeignRegistry(path, { lookNow });
  switch (reading.kind) {
    case 'absent':
      return { servers: [], problems: [] };
    case 'failed':
      return { servers: [], problems: [reading.message] };
    case 'read':
      return { servers: reading.servers, problems: [] };
  }
}
