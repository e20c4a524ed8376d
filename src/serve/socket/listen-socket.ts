import type { Server, Socket } from 'node:net';
import { checkSocket, ErrorCode, factsOf, isPipeName, makeSocketFolder, PortolanError } from '../../base/index.js';
import { answers, identity, takeAway } from './stale-socket.js';

/** Nobody but the owner: what the socket is made with, so that there is no moment in which it is open to others. */
const ONLY_OWNER = 0o177;
const MAX_CONNECTIONS = 4_096;
const BACKLOG = 1_024;

/** A socket that is listened on. */
export interface ListeningSocket {
  /** Takes no new connection, and leaves the name to whoever comes next. */
  stop(): void;
  /** Whether the name still leads here: another may have taken it. */
  isOurs(): boolean;
}

/** Listens on a path. Refuses what is not a socket of ours, and one that somebody listens on; replaces one that nobody does. */
export async function listenSocket(path: string, connected: (socket: Socket) => void): Promise<ListeningSocket> {
  makeSocketFolder(path);
  // A link may be left from a daemon whose socket is gone.
  const isTaken = !isPipeName(path) && (checkSocket(path) === 'there' || factsOf(path)?.isSymbolicLink() === true);
  if (isTaken) await removeStale(path);
  const { createServer } = process.getBuiltinModule('node:net');
  // A client that has said all it will still waits for its answers.
  const server = createServer({ allowHalfOpen: true }, connected);
  server.maxConnections = MAX_CONNECTIONS;
  await bound(server, path);
  const made = identity(path);
  return {
    stop: () => {
      // Taken away by us and not by the server's end: that would take away the socket of whoever came next.
      if (made !== undefined && identity(path) === made)
        process.getBuiltinModule('node:fs').rmSync(path, { force: true });
      server.close();
    },
    isOurs: () => isPipeName(path) || identity(path) === made,
  };
}

function bound(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'another daemon listens there already' : error.message;
      reject(
        new PortolanError(ErrorCode.ConnectionError, `cannot listen on ${path}: ${why}`, {
          hint: 'see who it is with `portolan daemon status`',
          cause: error,
        }),
      );
    });
    // The name is made while `listen` runs, not later: nothing else happens between the two changes of the mask.
    const before = isPipeName(path) ? undefined : process.umask(ONLY_OWNER);
    try {
      server.listen({ path, backlog: BACKLOG }, resolve);
    } finally {
      if (before !== undefined) process.umask(before);
    }
  });
}

/** Takes away a socket on which nobody listens, and puts it back if it turns out to be another by then. */
async function removeStale(path: string): Promise<void> {
  const seen = identity(path);
  if (await answers(path))
    throw new PortolanError(
      ErrorCode.ConnectionError,
      `cannot listen on ${path}: another daemon listens there already`,
      {
        hint: 'see who it is with `portolan daemon status`',
      },
    );
  takeAway(path, seen);
}
