import { DaemonConnection } from './daemon-connection.js';
import { dial } from './dial-daemon.js';

/** Asks the daemon one thing; undefined where none runs, or it is gone before it answers. */
export async function askDaemon(path: string, method: string): Promise<unknown> {
  const socket = await dial(path);
  if (!socket) return undefined;
  try {
    return await new DaemonConnection(socket).ask(method, {});
  } catch (error) {
    // Whoever hangs up on a question is about to end, which is what those who ask want to know.
    if (socket.destroyed) return undefined;
    throw error;
  } finally {
    socket.destroy();
  }
}
