import { cleanText } from '../base/index.js';
import { type ServedServer, servedServer } from '../gateway/index.js';
import { type AdmittedServer, admit, type Verdict } from '../policy/index.js';
import { type Held, reachedAt } from '../scope/index.js';
import type { Discovery } from './discover.js';

/** The servers of the chart, those that may run with the proof of it. */
export function servedServers(discovery: Discovery): ServedServer[] {
  return discovery.servers.map((server, place) => {
    const held = discovery.held[place];
    // A model reads names. One that holds more than can be seen is not mended, which could make it another server's.
    return servedServer(server, held && isShowable(server.name) ? admitted(held, discovery) : undefined);
  });
}

/** What runs already is used only if it was let in itself: it is not what the other would have started. */
function admitted({ name, chosen, through }: Held, { verdicts }: Discovery): AdmittedServer | undefined {
  const [verdict, ofRunning] = [chosen, through].map((one): Verdict | undefined => one && verdicts.get(one));
  if (!verdict) return undefined;
  const isUsed = through && verdict.kind === 'allowed' && ofRunning?.kind === 'allowed';
  return admit(name, isUsed ? reachedAt(chosen, through) : chosen, verdict);
}

export function admittedAmong(servers: readonly ServedServer[]): AdmittedServer[] {
  return servers.flatMap(({ admitted }) => admitted ?? []);
}

function isShowable(name: string): boolean {
  return !/[\n\r\t]/.test(name) && cleanText(name, Number.POSITIVE_INFINITY).found.length === 0;
}
