import { httpAddress, metaToolNames, serveHttp } from '../serve/index.js';
import { announceSelf } from './announce-self.js';
import { aborted, type ServingOptions, whileServing } from './gateway-serving.js';
import { httpRoutes } from './http-routes.js';

export interface ServeHttpOptions extends ServingOptions {
  /** `host:port` or parts of it, as the user wrote it. */
  readonly address: string;
  /** The bearer token that every client must send. Without it only loopback is allowed. */
  readonly token?: string;
  /** Called with the URL once the server listens. */
  readonly listening: (url: string) => void;
  /** Aborted on a shutdown signal. */
  readonly ending: AbortSignal;
}

/** Serves clients over HTTP until the signal aborts; then finishes running calls and stops every server. */
export async function serveClientsOverHttp(options: ServeHttpOptions): Promise<void> {
  const { address: written, token, listening, ending, ...rest } = options;
  const address = httpAddress(written, token);
  await whileServing(rest, async ({ running, session, limits, tell }) => {
    let clients = () => 0;
    await using http = await serveHttp({
      address,
      session,
      limits,
      log: session.log,
      allowedHosts: () => running.gateway.view.settings.http.allowedHosts,
      routes: httpRoutes(() => running.discovery, {
        ...{ version: session.version, calls: running.shared.calls, pool: running.shared.pool },
        clients: () => ({ http: clients() }),
      }),
      ...(token !== undefined && { token }),
    });
    clients = () => http.clients;
    using _told = tell((notice) => http.notice(notice));
    const tools = options.expose === undefined ? metaToolNames(running.gateway.offersPython) : [];
    const reachable = { url: http.url, servesAllProjects: false, tools, calls: running.shared.calls };
    const announced = await announceSelf(running.discovery.host, reachable, session.log);
    listening(http.url);
    await aborted(ending);
    await announced[Symbol.asyncDispose](); // remove the registry entry before the server stops listening
    await http.drain(running.gateway.view.settings.timeouts.shutdownMs);
  });
}
