import type { FSWatcher } from 'node:fs';
import type { RegistryPaths } from './private-folder.js';
import type { RegisteredServer } from './server-info.js';

/** The poll interval: no file event reports a killed server. */
const POLL_MS = 1_000;

/**
 * Polls, and reads sooner after a file event. The consumer sets the pace: changes while it is busy are merged into one.
 */
export async function* watchServers(
  list: () => Promise<readonly RegisteredServer[]>,
  { folder }: RegistryPaths,
  signal: AbortSignal,
): AsyncGenerator<readonly RegisteredServer[], void> {
  let wake = (): void => undefined;
  let isChanged = false;
  const changed = () => {
    isChanged = true;
    wake();
  };
  signal.addEventListener('abort', changed);
  let watcher: FSWatcher | undefined;
  let last: string | undefined;
  try {
    while (!signal.aborted) {
      isChanged = false;
      watcher ??= watchFolder(folder, changed, () => {
        watcher = undefined;
      });
      const servers = await list();
      const now = JSON.stringify(servers.map(lasting));
      if (now !== last) yield servers;
      last = now;
      if (isChanged || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_MS);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } finally {
    signal.removeEventListener('abort', changed);
    watcher?.close();
  }
}

/** The facts that do not change with every heartbeat. */
function lasting({ heartbeat, heartbeat_uptime, uptime_seconds, requests, ...rest }: RegisteredServer): unknown {
  return rest;
}

/** Returns undefined if the directory does not exist yet or cannot be watched. */
function watchFolder(folder: string, changed: () => void, ended: () => void): FSWatcher | undefined {
  try {
    const watcher = process.getBuiltinModule('node:fs').watch(folder, { persistent: false }, changed);
    watcher.on('error', () => {
      watcher.close();
      ended();
    });
    return watcher;
  } catch {
    return undefined; // the next poll detects the change
  }
}
