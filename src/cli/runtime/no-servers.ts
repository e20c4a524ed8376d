import { ErrorCode, nearest, PortolanError } from '../../base/index.js';
import type { Discovery } from '../../discovery/index.js';
import type { ScanFlags } from './command.js';
import { visible } from './terminal-text.js';

/** The three ways to add a server. */
const WAYS = [
  'portolan add memory -- npx -y @modelcontextprotocol/server-memory',
  'add it in one of your AI clients; portolan config sources lists the files',
  'put a JSON file with "mcpServers" into ~/MCPs/',
];

/** The lines of a command that has no server to work on: on an empty machine, or because a filter matches nothing. */
export function noServerLines(
  { servers }: { readonly servers: { readonly length: number } },
  filter: ScanFlags = {},
): readonly string[] {
  if (servers.length > 0) return [];
  const { clients, config } = filter;
  if (config !== undefined) return [`no servers configured in ${visible(config)}`];
  if (clients) return [`no servers configured in ${clients.join(', ')}; portolan list shows those of all clients`];
  return ['no servers configured. Add one in one of three ways:', ...WAYS.map((way, at) => `  ${at + 1}. ${way}`)];
}

/** The error for an unknown name, with similar names. */
export function unknownServer(name: string, discovery: Pick<Discovery, 'servers'>, filter?: ScanFlags): PortolanError {
  const ofName = new Map(
    discovery.servers.flatMap((server) =>
      [...server.duplicates.map((one) => one.name), server.alias, server.name].map(
        (one) => [one, server.name] as const,
      ),
    ),
  );
  const all = [...ofName.keys()];
  if (all.length === 0) {
    const [message = '', ...ways] = noServerLines(discovery, filter);
    const hint = [...ways.map((way) => way.trim()), 'A server of a project is known only in its directory'].join(
      '\n  ',
    );
    return new PortolanError(ErrorCode.ServerNotFound, message, { hint });
  }
  const begun = all.filter((one) => isNear(one.toLowerCase(), name.toLowerCase()));
  // One name for each server: the one that was probably meant.
  const near = new Map([...nearest(name, all), ...begun].toReversed().map((one) => [ofName.get(one), one]));
  const names = [...near.values()].toReversed().slice(0, 3).map(visible).join(', ');
  return new PortolanError(ErrorCode.ServerNotFound, `there is no server called ${visible(name)}`, {
    // The command may be right, but for another directory.
    hint:
      names === ''
        ? 'portolan list shows the names; a server of a project is known only in its directory'
        : `did you mean ${names}? A server of a project is known only in its directory`,
  });
}

function isNear(name: string, wanted: string): boolean {
  return name.includes(wanted) || wanted.includes(name) || name.slice(0, 3) === wanted.slice(0, 3);
}
