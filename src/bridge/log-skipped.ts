import { isObject, type Log } from '../base/index.js';

/**
 * Logs the entries that the daemon skipped, because the client's user sees this process's stderr, not the daemon's log.
 */
export function logSkipped(skipped: unknown, log: Log): void {
  if (!Array.isArray(skipped)) return;
  for (const entry of skipped) {
    if (!isObject(entry)) continue;
    const { server, source, line, reason } = entry;
    log('warn', 'skipped an entry that starts or reaches Portolan itself', { server, source, line, reason });
  }
}
