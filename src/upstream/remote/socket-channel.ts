import type { Socket } from 'node:net';
import { ErrorCode, factsOf, isPipeName, PortolanError } from '../../base/index.js';
import { StreamChannel, type StreamLimits } from '../../rpc/index.js';

const CONNECT_MS = 5_000;

/** Connects to a Unix socket of this user, with one JSON message per line as over stdio. */
export async function openSocketChannel(url: string, limits: () => StreamLimits): Promise<StreamChannel> {
  const path = pathOf(url);
  checkOwner(path);
  const socket = await connectTo(path);
  return new StreamChannel(socket, socket, limits);
}

function pathOf(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address?.protocol !== 'unix:' || address.pathname === '') throw failed('its url is not a socket address');
  return decodeURIComponent(address.pathname);
}

/** Refuses links and sockets of other users, which would send our requests to another program. */
function checkOwner(path: string): void {
  if (isPipeName(path)) return; // Windows protects the pipe from other users
  const found = factsOf(path);
  if (found === undefined) throw failed(`nothing listens on ${path}`);
  if (!found.isSocket()) throw failed(`${path} is not a socket`);
  const user = process.geteuid?.();
  if (user !== undefined && found.uid !== user) throw failed(`${path} belongs to another user`);
}

function connectTo(path: string): Promise<Socket> {
  const { connect } = process.getBuiltinModule('node:net');
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    const limit = setTimeout(() => {
      socket.destroy();
      reject(failed(`${path} does not accept connections`));
    }, CONNECT_MS);
    socket.once('error', (error) => {
      clearTimeout(limit);
      reject(failed(`${path} does not accept connections: ${error.message}`));
    });
    socket.once('connect', () => {
      clearTimeout(limit);
      resolve(socket);
    });
  });
}

function failed(why: string): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, why, { hint: 'check that it runs: portolan ps' });
}
