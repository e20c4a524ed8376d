import { maskUrl } from '../base/index.js';
import type { Discovery } from '../discovery/index.js';
import { distinctServers, readRunning, transportsOf } from '../discovery/index.js';
import type { RegisteredServer } from '../registry/index.js';
import type { PlainRoutes } from '../serve/index.js';
import { type Measured, metricsResponse } from './metrics-text.js';

/** The HTTP paths beside MCP. */
export function httpRoutes(discovery: () => Discovery, measured: Measured): PlainRoutes {
  return new Map([
    ['/metrics', { answer: () => metricsResponse(measured) }],
    [
      '/servers',
      {
        answer: async () => {
          const servers = distinctServers(await readRunning(discovery().host));
          // The registry entry is as old as its last heartbeat; the gateway itself has current data.
          const own = { requests: measured.calls.durations.count };
          const now = servers.map((server) => (server.pid === process.pid ? { ...server, ...own } : server));
          return Response.json({ servers: now.map(forOthers) });
        },
      },
    ],
  ]);
}

/** The data that other machines may see: no directories, no socket paths, no keys in URLs. */
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
