import type { Definition } from '../model/index.js';
import { isFromRepository, type Server } from '../policy/index.js';
import type { Discovery } from './discover.js';

/**
 * The names by which a rule can match these servers: the name and the user's other names for it. A rule can also enable
 * tools, so a repository cannot give a server such a name, and no server gets the name of another one.
 */
export function namesForRules(
  { verdicts, host }: Pick<Discovery, 'verdicts' | 'host'>,
  servers: readonly Server[],
): (server: string) => readonly string[] {
  const taken = new Set(servers.map(({ name }) => name));
  const counts = (one: Definition) =>
    verdicts.get(one)?.kind === 'allowed' && !isFromRepository(one, host) && !taken.has(one.name);
  const names = new Map(
    servers.map(({ name, duplicates }) => [name, duplicates.filter(counts).map((one) => one.name)]),
  );
  return (server) => [server, ...(names.get(server) ?? [])];
}
