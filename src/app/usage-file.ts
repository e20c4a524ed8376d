import { join } from 'node:path';
import { diskFiles, type Log, writeFile } from '../base/index.js';
import { MAX_USES, parseUses, type RememberedUse, type ToolIndex } from '../search/index.js';

const WRITE_AFTER_MS = 5_000;

/** Searches that led to a call, kept in one file for all workspaces and processes of the user. */
export interface UsesFile extends AsyncDisposable {
  /** Loads the remembered uses into the index, and saves what it learns from now on. */
  join(index: ToolIndex): JoinedUses;
}

export interface JoinedUses {
  /** Call after the index has learned something. */
  changed(): void;
  leave(): Promise<void>;
}

/** The file in a directory. It is read again before each write, so that no process overwrites what another learned. */
export function usesFile(folder: string, log: Log): UsesFile {
  const path = join(folder, 'uses.json');
  const indexes = new Set<ToolIndex>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const known = () => merged([...onDisk(path, log), ...[...indexes].flatMap((index) => index.memory())]);
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(async () => {
      await writeFile(path, `${JSON.stringify(known())}\n`).catch((error: Error) => {
        log('warn', 'cannot save the search usage file', { error: error.message });
      });
    });
    return writing;
  };
  return {
    join: (index) => {
      index.recall(known());
      indexes.add(index);
      return {
        changed: () => {
          timer ??= setTimeout(() => void write(), WRITE_AFTER_MS).unref();
        },
        leave: async () => {
          if (timer) await write();
          indexes.delete(index);
        },
      };
    },
    [Symbol.asyncDispose]: async () => {
      if (timer) await write();
      await writing;
    },
  };
}

function onDisk(path: string, log: Log): readonly RememberedUse[] {
  const reading = diskFiles.read(path);
  if (reading.kind !== 'read') return [];
  try {
    return parseUses(JSON.parse(reading.text));
  } catch {
    log('warn', 'the search usage file is invalid and is replaced', { path });
    return [];
  }
}

/** Keeps the latest use per need and tool, and drops the oldest beyond the limit. */
function merged(uses: readonly RememberedUse[]): readonly RememberedUse[] {
  const latest = new Map<string, RememberedUse>();
  for (const use of uses) {
    const key = JSON.stringify([use.server, use.tool, use.query.toLowerCase()]);
    if ((latest.get(key)?.at ?? Number.NEGATIVE_INFINITY) < use.at) latest.set(key, use);
  }
  return [...latest.values()].toSorted((a, b) => a.at - b.at).slice(-MAX_USES);
}
