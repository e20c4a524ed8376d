import type { Server, Socket } from 'node:net';
import {
  checkSocket,
  ErrorCode,
  factsOf,
  isPipeName,
  makeSocketFolder,
  PortolanError,
  shellWord,
} from '../../base/index.js';
import { answers, identity, removeSeenFile } from './stale-socket.js';

/** The umask for creating the socket, so that it is never open to other users, not even for a moment. */
const ONLY_OWNER = 0o177;
const MAX_CONNECTIONS = 4_096;
const BACKLOG = 1_024;

/** A socket that we listen on. */
export interface ListeningSocket {
  /** Accepts no new connections, and frees the path. */
  stop(): void;
  /** Whether the path still belongs to our socket; another daemon may have taken it. */
  isOurs(): boolean;
}

/** Listens on a path. Replaces a socket of this user without a listener; refuses one in use, and any other file. */
export async function listenSocket(path: string, connected: (socket: Socket) => void): Promise<ListeningSocket> {
  makeSocketFolder(path);
  // A link may remain from a daemon whose socket is gone.
  const isTaken = !isPipeName(path) && (checkSocket(path) === 'there' || factsOf(path)?.isSymbolicLink() === true);
  if (isTaken) await removeStale(path);
  const { createServer } = process.getBuiltinModule('node:net');
  // Half-open: a client that has ended its side still waits for responses.
  const server = createServer({ allowHalfOpen: true }, connected);
  server.maxConnections = MAX_CONNECTIONS;
  await bound(server, path);
  const made = identity(path);
  return {
    stop: () => {
      // We unlink it ourselves: closing the server would unlink the path even if another daemon's socket is there now.
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
      const why = error.code === 'EADDRINUSE' ? 'another daemon is already listening there' : error.message;
      reject(
        new PortolanError(ErrorCode.ConnectionError, `cannot listen on ${path}: ${why}`, {
          hint: showDaemon(path),
          cause: error,
        }),
      );
    });
    // `listen` binds synchronously, so nothing else runs between the two umask changes.
    const before = isPipeName(path) ? undefined : process.umask(ONLY_OWNER);
    try {
      server.listen({ path, backlog: BACKLOG }, resolve);
    } finally {
      if (before !== undefined) process.umask(before);
    }
  });
}

function showDaemon(path: string): string {
  return `show it with \`portolan daemon status --mcp-bridge-socket ${shellWord(path)}\``;
}

/** Removes a socket without a listener, and restores it if another daemon's socket took its place meanwhile. */
async function removeStale(path: string): Promise<void> {
  const seen = identity(path);
  if (await answers(path))
    throw new PortolanError(
      ErrorCode.ConnectionError,
      `cannot listen on ${path}: another daemon is already listening there`,
      {
        hint: showDaemon(path),
      },
    );
  removeSeenFile(path, seen);
}
