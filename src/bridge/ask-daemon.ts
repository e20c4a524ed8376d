import { DaemonLine } from './daemon-line.js';
import { dial } from './dial.js';

/** Asks the daemon one thing; undefined where none runs. */
export async function askDaemon(path: string, method: string): Promise<unknown> {
  const socket = await dial(path);
  if (!socket) return undefined;
  try {
    return await new DaemonLine(socket).ask(method, {});
  } finally {
    socket.destroy();
  }
}
