import { maskUrl } from '../base/index.js';
import type { RegisteredServer } from '../registry/index.js';
import type { PlainRoutes } from '../serve/index.js';
import type { Discovery } from './discover.js';
import { type Measured, metricsResponse } from './metrics.js';
import { distinctServers, readRunning } from './running.js';

/** What may be read over HTTP beside the protocol itself. */
export function httpRoutes(discovery: () => Discovery, measured: Measured): PlainRoutes {
  return new Map([
    ['/metrics', { answer: () => metricsResponse(measured) }],
    [
      '/servers',
      {
        answer: async () => {
          const servers = distinctServers(await readRunning(discovery().host));
          return Response.json({ servers: servers.map(forOthers) });
        },
      },
    ],
  ]);
}

/** As much as another machine can use: no folders, no sockets' paths, no keys in addresses. */
function forOthers({ id, name, transports, http, ...server }: RegisteredServer) {
  const { tools, capabilities, started_at, uptime_seconds, requests } = server;
  const reached = transports.map(({ type, url }) => ({ type, ...(url !== undefined && { url: maskUrl(url) }) }));
  const isMissing = http.enabled && http.url !== undefined && !transports.some(({ url }) => url === http.url);
  return {
    id,
    name,
    transports: [...reached, ...(isMissing ? [{ type: 'http', url: maskUrl(http.url ?? '') }] : [])],
    capabilities,
    tools,
    started_at,
    uptime_seconds,
    requests,
  };
}
