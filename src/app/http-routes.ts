import { maskUrl } from '../base/index.js';
import type { Discovery } from '../discovery/index.js';
import { distinctServers, readRunning, transportsOf } from '../discovery/index.js';
import type { RegisteredServer } from '../registry/index.js';
import type { PlainRoutes } from '../serve/index.js';
import { type Measured, metricsResponse } from './metrics-text.js';

/** What may be read over HTTP beside the protocol itself. */
export function httpRoutes(discovery: () => Discovery, measured: Measured): PlainRoutes {
  return new Map([
    ['/metrics', { answer: () => metricsResponse(measured) }],
    [
      '/servers',
      {
        answer: async () => {
          const servers = distinctServers(await readRunning(discovery().host));
          // Its own entry is as old as its last heartbeat, and it knows better.
          const own = { requests: measured.calls.durations.count };
          const now = servers.map((server) => (server.pid === process.pid ? { ...server, ...own } : server));
          return Response.json({ servers: now.map(forOthers) });
        },
      },
    ],
  ]);
}

/** As much as another machine can use: no folders, no sockets' paths, no keys in addresses. */
function forOthers(server: RegisteredServer) {
  const { id, name, tools, capabilities, started_at, uptime_seconds, requests } = server;
  const reached = transportsOf(server).map(({ type, url }) => ({
    type,
    ...(url !== undefined && { url: maskUrl(url) }),
  }));
  return {
    id,
    name,
    transports: reached,
    capabilities,
    tools,
    started_at,
    uptime_seconds,
    requests,
  };
}
