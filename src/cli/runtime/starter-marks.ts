import type { Discovery } from '../../discovery/index.js';
import type { ServerRecord } from '../../model/index.js';
import { selfStartingClients, takeOverAdvice } from '../../use-cases/index.js';
import type { Io } from './command.js';
import { paint, plural } from './terminal-text.js';

/** The servers, each with the clients that still start it by themselves. */
export function withStarters(servers: readonly ServerRecord[], discovery: Discovery): ServerRecord[] {
  const starters = selfStartingClients(discovery);
  return servers.map((server) => {
    const startedBy = starters.get(server.name);
    return startedBy ? { ...server, startedBy } : server;
  });
}

/** The clients of a server; one that starts it by itself has a star. */
export function clientsText({ origins, startedBy = [] }: ServerRecord): string {
  const clients = [...new Set(origins.map(({ client }) => client))];
  return clients.map((client) => (startedBy.includes(client) ? `${client}*` : client)).join(', ');
}

/** Explains the stars and names the command that removes them. */
export function starLine(servers: readonly ServerRecord[], discovery: Discovery, io: Io): string[] {
  const started = servers.filter(({ startedBy }) => startedBy !== undefined);
  if (started.length === 0) return [];
  const { clients, isProjectOnly } = takeOverAdvice(discovery);
  const [first] = clients;
  const one = clients.length === 1 ? first : '<client>';
  const command = isProjectOnly
    ? `portolan install ${one} --take-over --project`
    : clients.length === 1
      ? `portolan install ${first} --take-over`
      : 'portolan install';
  const what = `${plural(started.length, 'server')} that a client starts by itself`;
  const next = first === undefined ? ', from a plugin or an administrator' : `: ${command}`;
  return [paint(io, 'dim', `* ${what}${next}`)];
}
