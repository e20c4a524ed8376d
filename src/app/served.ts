import { type ServedServer, servedServer } from '../gateway/index.js';
import { type AdmittedServer, admit } from '../policy/index.js';
import type { Discovery } from './discover.js';

/** The servers of the chart, those that may run with the proof of it. */
export function servedServers(discovery: Discovery): ServedServer[] {
  return discovery.servers.map((server, place) => {
    const chosen = discovery.held[place]?.chosen;
    const verdict = chosen && discovery.verdicts.get(chosen);
    return servedServer(server, chosen && verdict && admit(server.name, chosen, verdict));
  });
}

export function admittedAmong(servers: readonly ServedServer[]): AdmittedServer[] {
  return servers.flatMap(({ admitted }) => admitted ?? []);
}
