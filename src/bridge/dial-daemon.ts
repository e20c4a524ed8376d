import type { Socket } from 'node:net';
import { ErrorCode, PortolanError, socketAt } from '../base/index.js';

const CONNECT_MS = 3_000;

/** Connects to the daemon. Returns undefined if none listens; a path that is not our own socket is rejected first. */
export async function dial(path: string): Promise<Socket | undefined> {
  const checked = socketAt(path);
  if (checked === undefined) return undefined;
  const { connect } = process.getBuiltinModule('node:net');
  return new Promise((resolve, reject) => {
    const socket = connect({ path: checked, allowHalfOpen: true });
    const limit = setTimeout(() => {
      socket.destroy();
      reject(new PortolanError(ErrorCode.ConnectionError, `${path} takes no connection`));
    }, CONNECT_MS);
    socket.once('connect', () => {
      clearTimeout(limit);
      socket.removeAllListeners('error');
      socket.on('error', () => undefined); // `close` follows and is handled
      resolve(socket);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(limit);
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(undefined);
      else reject(new PortolanError(ErrorCode.ConnectionError, `${path}: ${error.message}`, { cause: error }));
    });
  });
}
