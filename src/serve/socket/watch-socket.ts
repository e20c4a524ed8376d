import type { Socket } from 'node:net';
import { ClientSilent, type Session } from '../session/session.js';

const PING_MS = 15_000;
const MISSES = 2;

/** Hangs up on a client that does not read its answers for this long, or does not answer two pings. */
export function watchSocket(socket: Socket, session: Session, everyMs = PING_MS): Disposable {
  let read = 0;
  let stuck = 0;
  let missed = 0;
  const timer = setInterval(() => {
    // What was written and has left.
    const now = socket.bytesWritten - socket.writableLength;
    stuck = socket.writableLength > 0 && now === read ? stuck + 1 : 0;
    read = now;
    if (stuck >= MISSES) {
      socket.destroy();
      return;
    }
    // Clients of the newer kind have no ping: they go by the end of the connection.
    if (!session.introduced || socket.readableEnded) return;
    session.ask('ping', {}, everyMs).then(
      () => {
        missed = 0;
      },
      (error: unknown) => {
        // Whoever refuses to answer is there.
        missed = error instanceof ClientSilent ? missed + 1 : 0;
        if (missed >= MISSES) socket.destroy();
      },
    );
  }, everyMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
