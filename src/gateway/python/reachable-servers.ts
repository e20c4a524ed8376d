import { ErrorCode, PortolanError } from '../../base/index.js';
import type { Conversation, Tool } from '../../model/index.js';
import { findServer, type ServedServer, shownName } from '../../policy/index.js';
import type { JobServer, JobTool } from '../../sandbox/index.js';
import { pythonAliases } from './python-alias.js';

/** What is known of the tools of a server: those that may be called, and the names of those that may not. */
export interface KnownTools {
  readonly enabled: readonly Tool[];
  readonly disabled: readonly string[];
}

/** What a program needs to know of the servers before it begins. */
export interface ServerToolList {
  readonly view: { readonly servers: readonly ServedServer[] };
  /** Undefined while nobody has read them. */
  knownToolsOf(server: string): KnownTools | undefined;
  descriptionOf(server: string): string | undefined;
  /** Reads the tools of a server, which may start it. */
  toolsOf(server: string): Promise<readonly Tool[]>;
  /** Gives servers that nobody has read yet a moment. */
  everyTool(conversation: Conversation): Promise<unknown>;
}

const MAX_NAMED = 256;

/** The servers that a program may reach: those that were named, else all that were let in. */
export async function serversInReach(
  chart: ServerToolList,
  named: readonly string[] | undefined,
  conversation: Conversation,
): Promise<readonly JobServer[]> {
  const { servers } = chart.view;
  const wanted = named ? namedServers(servers, named) : servers.filter(({ admitted }) => admitted);
  await read(chart, wanted, named !== undefined, conversation);
  // Of all servers, so that a name means the same whichever of them were named.
  const aliases = pythonAliases(servers.map(({ alias }) => alias));
  return wanted.map((server) => jobServer(chart, server, aliases.get(server.alias) ?? server.alias));
}

function namedServers(servers: readonly ServedServer[], named: readonly string[]): readonly ServedServer[] {
  if (named.length > MAX_NAMED)
    throw new PortolanError(ErrorCode.LimitExceeded, `more than ${MAX_NAMED} servers were named`, {
      hint: 'name those that the program needs, or none for all',
    });
  return [...new Set(named.map((name) => findServer(servers, name)))];
}

/** Who was named will be used and is read now; of all the others only what can be had in a moment. */
async function read(
  chart: ServerToolList,
  wanted: readonly ServedServer[],
  isNamed: boolean,
  conversation: Conversation,
): Promise<void> {
  const unknown = wanted.filter(({ name, admitted }) => admitted && !chart.knownToolsOf(name));
  if (unknown.length === 0) return;
  if (!isNamed) await chart.everyTool(conversation);
  // One that cannot be read says why when it is called.
  else await Promise.all(unknown.map(({ name }) => chart.toolsOf(name).catch(() => undefined)));
}

function jobServer(chart: ServerToolList, server: ServedServer, alias: string): JobServer {
  // Of a server that nobody has let in, nothing but its name goes in; a call of it is refused, or asks a person.
  const known = server.admitted && chart.knownToolsOf(server.name);
  const description = server.admitted && chart.descriptionOf(server.name);
  const tools = known?.enabled ?? [];
  const aliases = pythonAliases([...tools.map(({ name }) => name), ...(known?.disabled ?? [])]);
  const named = (name: string): JobTool => ({ name, alias: aliases.get(name) ?? name });
  return {
    name: shownName(server),
    alias,
    ...(description && { description }),
    tools: tools.map(({ name, description: said, inputSchema }) => ({
      ...named(name),
      ...(said !== undefined && { description: said }),
      input_schema: inputSchema,
    })),
    ...(known?.disabled.length && { refused: known.disabled.map(named) }),
    ...(!known && { unlisted: true }),
  };
}
