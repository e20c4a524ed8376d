import type { Socket } from 'node:net';
import { ClientSilent, type Session } from '../session/session.js';

const PING_MS = 15_000;
const MISSES = 2;

/** Disconnects a client that does not read its responses for this long, or misses two pings. */
export function watchSocket(socket: Socket, session: Session, everyMs = PING_MS): Disposable {
  let read = 0;
  let stuck = 0;
  let missed = 0;
  const timer = setInterval(() => {
    // Bytes written and actually sent.
    const now = socket.bytesWritten - socket.writableLength;
    stuck = socket.writableLength > 0 && now === read ? stuck + 1 : 0;
    read = now;
    if (stuck >= MISSES) {
      socket.destroy();
      return;
    }
    // Modern clients have no ping, so only the closed connection shows that they left.
    if (!session.introduced || socket.readableEnded) return;
    session.ask('ping', {}, everyMs).then(
      () => {
        missed = 0;
      },
      (error: unknown) => {
        // An error response proves that the client is alive.
        missed = error instanceof ClientSilent ? missed + 1 : 0;
        if (missed >= MISSES) socket.destroy();
      },
    );
  }, everyMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
