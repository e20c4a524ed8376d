import type { Log } from '../../base/index.js';
import type { SurfaceNotification } from '../surfaces/surface.js';
import { boundNames } from './host-rules.js';
import { type HttpHandlerOptions, MCP_PATH, openHttpHandler } from './http-handler.js';
import { checkToken, type HttpAddress, readAddress, requireTokenBeyondLoopback } from './listen-address.js';
import { authority, listenHttp } from './node-server.js';

export interface HttpOptions extends Omit<HttpHandlerOptions, 'hosts'> {
  readonly address: HttpAddress;
  /** Names that lead here through others; they count only where a token is needed. */
  readonly allowedHosts: () => readonly string[];
  readonly log: Log;
}

/** The gateway on a port. */
export interface HttpServing extends AsyncDisposable {
  readonly url: string;
  /** Those that have said hello; clients of the newer kind come and go with each request. */
  readonly clients: number;
  notice(notice: SurfaceNotification): void;
  /** Takes nothing new, lets what runs end for a while, then hangs up. */
  drain(limitMs: number): Promise<void>;
}

/** Where to listen as someone wrote it; refuses what would let strangers in. */
export function httpAddress(written: string, token: string | undefined): HttpAddress {
  const address = readAddress(written);
  checkToken(token);
  requireTokenBeyondLoopback(address, token);
  return address;
}

/** Serves any number of clients of both generations over HTTP. */
export async function serveHttp({ address, allowedHosts, ...options }: HttpOptions): Promise<HttpServing> {
  const { networkInterfaces } = process.getBuiltinModule('node:os');
  const local = () => Object.values(networkInterfaces()).flatMap((all) => all?.map((one) => one.address) ?? []);
  const isOpen = options.token !== undefined;
  let port = 0;
  const handler = await openHttpHandler({
    ...options,
    hosts: () => ({ bound: boundNames(address, local), port, allowed: isOpen ? allowedHosts() : [] }),
  });
  const listening = await listenHttp(address, {
    handle: (request) => handler.handle(request),
    isOpen,
    log: options.log,
  });
  port = listening.address.port;
  return {
    url: `http://${authority({ host: address.host, port })}${MCP_PATH}`,
    get clients() {
      return handler.clients;
    },
    notice: (notice) => handler.notice(notice),
    drain: async (limitMs) => {
      listening.stop();
      await handler.drain(limitMs);
    },
    [Symbol.asyncDispose]: async () => {
      handler[Symbol.dispose]();
      await listening[Symbol.asyncDispose]();
    },
  };
}
