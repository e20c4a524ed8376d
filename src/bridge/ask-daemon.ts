import { DaemonConnection } from './daemon-connection.js';
import { dial } from './dial-daemon.js';

/** Sends the daemon one request. Returns undefined if no daemon runs or it exits before it responds. */
export async function askDaemon(path: string, method: string): Promise<unknown> {
  const socket = await dial(path);
  if (!socket) return undefined;
  try {
    return await new DaemonConnection(socket).ask(method, {});
  } catch (error) {
    // A daemon that closes the connection is shutting down, so the caller can treat it as not running.
    if (socket.destroyed) return undefined;
    throw error;
  } finally {
    socket.destroy();
  }
}
