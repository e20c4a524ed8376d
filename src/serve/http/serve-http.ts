import type { Log } from '../../base/index.js';
import type { SurfaceNotification } from '../surfaces/surface.js';
import { boundNames } from './host-rules.js';
import { type HttpHandlerOptions, MCP_PATH, openHttpHandler } from './http-handler.js';
import { checkToken, type HttpAddress, readAddress, requireTokenBeyondLoopback } from './listen-address.js';
import { authority, listenHttp } from './node-server.js';

export interface HttpOptions extends Omit<HttpHandlerOptions, 'hosts'> {
  readonly address: HttpAddress;
  /** Further allowed host names, for example of a proxy; used only if a token is required. */
  readonly allowedHosts: () => readonly string[];
  readonly log: Log;
}

/** The gateway listening on a port. */
export interface HttpServing extends AsyncDisposable {
  readonly url: string;
  /** The number of initialized clients; stateless clients are not counted. */
  readonly clients: number;
  notice(notice: SurfaceNotification): void;
  /** Refuses new requests, waits for running ones up to the limit, then disconnects. */
  drain(limitMs: number): Promise<void>;
}

/** Parses the address, and refuses one that other machines can reach without a token. */
export function httpAddress(written: string, token: string | undefined): HttpAddress {
  const address = readAddress(written);
  checkToken(token);
  requireTokenBeyondLoopback(address, token);
  return address;
}

/** Serves any number of clients of both eras over HTTP. */
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
