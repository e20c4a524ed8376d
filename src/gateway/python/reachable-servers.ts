import { ErrorCode, PortolanError } from '../../base/index.js';
import type { Conversation, Tool } from '../../model/index.js';
import { findServer, type Server, shownName } from '../../policy/index.js';
import type { JobServer, JobTool } from '../../sandbox/index.js';
import { pythonAliases } from './python-alias.js';

/** The cached tools of a server: definitions of the enabled ones and names of the disabled ones. */
export interface KnownTools {
  readonly enabled: readonly Tool[];
  readonly disabled: readonly string[];
}

/** The queries about servers that a program needs before it starts. */
export interface ServerToolList {
  readonly view: { readonly servers: readonly Server[] };
  /** Undefined until the server's tools have been read. */
  knownToolsOf(server: string): KnownTools | undefined;
  descriptionOf(server: string): string | undefined;
  /** Reads the tools of a server, which may start it. */
  toolsOf(server: string, conversation: Conversation): Promise<readonly Tool[]>;
  /** Waits a limited time for servers that have not been read yet. */
  everyTool(conversation: Conversation): Promise<unknown>;
}

const MAX_NAMED = 256;

/** The servers that a program can call: the named ones, or all admitted ones if none is named. */
export async function serversInReach(
  lists: ServerToolList,
  named: readonly string[] | undefined,
  conversation: Conversation,
): Promise<readonly JobServer[]> {
  const { servers } = lists.view;
  const wanted = named ? namedServers(servers, named) : servers.filter(({ admitted }) => admitted);
  await read(lists, wanted, named !== undefined, conversation);
  // Computed over all servers, so that an alias does not depend on which servers were named.
  const aliases = pythonAliases(servers.map(({ alias }) => alias));
  return wanted.map((server) => jobServer(lists, server, aliases.get(server.alias) ?? server.alias));
}

function namedServers(servers: readonly Server[], named: readonly string[]): readonly Server[] {
  if (named.length > MAX_NAMED)
    throw new PortolanError(ErrorCode.LimitExceeded, `run_python was given more than ${MAX_NAMED} servers`, {
      hint: 'pass only the servers that the program needs, or omit servers for all',
    });
  return [...new Set(named.map((name) => findServer(servers, name)))];
}

/** Reads the servers in `servers`; all others only within the usual time limit. */
async function read(
  lists: ServerToolList,
  wanted: readonly Server[],
  isNamed: boolean,
  conversation: Conversation,
): Promise<void> {
  const unknown = wanted.filter(({ name, admitted }) => admitted && !lists.knownToolsOf(name));
  if (unknown.length === 0) return;
  if (!isNamed) await lists.everyTool(conversation);
  // If the read fails, a call to the server reports the error.
  else await Promise.all(unknown.map(({ name }) => lists.toolsOf(name, conversation).catch(() => undefined)));
}

function jobServer(lists: ServerToolList, server: Server, alias: string): JobServer {
  // An unapproved server contributes only its name; a call to it is refused or asks the user for approval.
  const known = server.admitted && lists.knownToolsOf(server.name);
  const description = server.admitted && lists.descriptionOf(server.name);
  const tools = known?.enabled ?? [];
  const aliases = pythonAliases([...tools.map(({ name }) => name), ...(known?.disabled ?? [])]);
  const named = (name: string): JobTool => ({ name, alias: aliases.get(name) ?? name });
  return {
    name: shownName(server),
    alias,
    ...(description && { description }),
    tools: tools.map(({ name, description: brief, inputSchema }) => ({
      ...named(name),
      ...(brief !== undefined && { description: brief }),
      input_schema: inputSchema,
    })),
    ...(known?.disabled.length && { refused: known.disabled.map(named) }),
    ...(!known && { unlisted: true }),
  };
}
