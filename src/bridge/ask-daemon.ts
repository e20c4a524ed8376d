import { DaemonConnection } from './daemon-connection.js';
import { DaemonSilent, dial } from './dial-daemon.js';

/** A working daemon answers within milliseconds. The limit leaves time for a person who waits at a terminal. */
const ANSWER_MS = 1_000;

/**
 * Sends the daemon one request. Returns undefined if no daemon runs or it exits before it responds; throws
 * `DaemonSilent` if it does not respond in time.
 */
export async function askDaemon(path: string, method: string, limitMs = ANSWER_MS): Promise<unknown> {
  const socket = await dial(path, limitMs);
  if (!socket) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const silent = () => reject(new DaemonSilent(path, `did not respond within ${limitMs} ms`));
    timer = setTimeout(silent, limitMs);
  });
  try {
    return await Promise.race([new DaemonConnection(socket).ask(method, {}), tooLate]);
  } catch (error) {
    // A daemon that closes the connection is shutting down, so the caller can treat it as not running.
    if (socket.destroyed) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
