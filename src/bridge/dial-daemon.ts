import type { Socket } from 'node:net';
import { ErrorCode, PortolanError, shellWord, socketAt } from '../base/index.js';

const CONNECT_MS = 3_000;
/** A daemon that accepts no connection: the queue of connections is full, or the machine is overloaded. */
const FULL = new Set(['EAGAIN', 'ETIMEDOUT']);

/** The daemon exists and does not respond. */
export class DaemonSilent extends PortolanError {
  constructor(path: string, what: string) {
    super(ErrorCode.ConnectionError, `the daemon on ${path} ${what}`, {
      // With the path, because a flag of this process may have named it.
      hint: `end the daemon and its servers with: portolan daemon stop --force --mcp-bridge-socket ${shellWord(path)}`,
    });
  }
}

/** Connects to the daemon. Returns undefined if none listens; a path that is not our own socket is rejected first. */
export async function dial(path: string, limitMs = CONNECT_MS): Promise<Socket | undefined> {
  const checked = socketAt(path);
  if (checked === undefined) return undefined;
  const { connect } = process.getBuiltinModule('node:net');
  return new Promise((resolve, reject) => {
    const socket = connect({ path: checked, allowHalfOpen: true });
    const limit = setTimeout(() => {
      socket.destroy();
      reject(new DaemonSilent(path, 'does not accept connections'));
    }, limitMs);
    socket.once('connect', () => {
      clearTimeout(limit);
      socket.removeAllListeners('error');
      socket.on('error', () => undefined); // `close` follows and is handled
      resolve(socket);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(limit);
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(undefined);
      else if (FULL.has(error.code ?? '')) reject(new DaemonSilent(path, 'does not accept connections'));
      else reject(new PortolanError(ErrorCode.ConnectionError, `${path}: ${error.message}`, { cause: error }));
    });
  });
}
