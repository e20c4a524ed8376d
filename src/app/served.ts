import { cleanText } from '../base/index.js';
import { type ServedServer, servedServer } from '../gateway/index.js';
import { type AdmittedServer, admit } from '../policy/index.js';
import type { Discovery } from './discover.js';

/** The servers of the chart, those that may run with the proof of it. */
export function servedServers(discovery: Discovery): ServedServer[] {
  return discovery.servers.map((server, place) => {
    const chosen = discovery.held[place]?.chosen;
    const verdict = chosen && discovery.verdicts.get(chosen);
    // A model reads names: one that holds more than a name is known by its alias, whoever let the server in.
    const name = isShowable(server.name) ? server.name : server.alias;
    return servedServer({ ...server, name }, chosen && verdict && admit(name, chosen, verdict));
  });
}

export function admittedAmong(servers: readonly ServedServer[]): AdmittedServer[] {
  return servers.flatMap(({ admitted }) => admitted ?? []);
}

const MAX_NAME_CHARACTERS = 128;

function isShowable(name: string): boolean {
  return !/[\n\r\t]/.test(name) && cleanText(name, MAX_NAME_CHARACTERS).found.length === 0;
}
