import { cleanText } from '../base/index.js';
import { type ServedServer, servedServer } from '../gateway/index.js';
import { type AdmittedServer, admit } from '../policy/index.js';
import type { Discovery } from './discover.js';

/** The servers of the chart, those that may run with the proof of it. */
export function servedServers(discovery: Discovery): ServedServer[] {
  return discovery.servers.map((server, place) => {
    const chosen = discovery.held[place]?.chosen;
    const verdict = chosen && discovery.verdicts.get(chosen);
    // A model reads names. One that holds more than can be seen is not mended, which could make it another server's.
    const isServed = chosen && verdict && isShowable(server.name);
    return servedServer(server, isServed ? admit(server.name, chosen, verdict) : undefined);
  });
}

export function admittedAmong(servers: readonly ServedServer[]): AdmittedServer[] {
  return servers.flatMap(({ admitted }) => admitted ?? []);
}

function isShowable(name: string): boolean {
  return !/[\n\r\t]/.test(name) && cleanText(name, Number.POSITIVE_INFINITY).found.length === 0;
}
