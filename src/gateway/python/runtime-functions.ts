import { assertNever, ErrorCode, PortolanError } from '../../base/index.js';
import type { HostCall, JobServer, JobTool } from '../../sandbox/index.js';
import type { RunState, SearchAnswer, ServerList, ToolDetails } from '../gateway-answers.js';
import type { Memories } from './project-memories.js';
import { pythonAliases } from './python-alias.js';

type RuntimeCall = Extract<HostCall, { kind: 'runtime' }>;
type Arguments = RuntimeCall['arguments'];

/** The gateway functions behind `mcp.runtime`. */
export interface DocumentedGateway {
  readonly listServers: () => Promise<ServerList>;
  readonly searchTools: (
    query: string,
    options: { readonly server?: string; readonly limit?: number },
  ) => Promise<SearchAnswer>;
  readonly getToolDetails: (server: string, tool: string) => Promise<ToolDetails>;
}

const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 50;
/** The number of results to search before the servers outside the program's list are filtered out. */
const SEARCHED = 100;
const MAX_TEXT_CHARACTERS = 2_000;
/** A failed server is tried again when it is called. */
const USABLE: ReadonlySet<string> = new Set<RunState>(['connected', 'starting', 'idle', 'error']);

/** Answers `mcp.runtime` for one program. Other servers than its own are only listed. */
export async function runtimeFunction(
  { name, arguments: given }: RuntimeCall,
  servers: readonly JobServer[],
  gateway: DocumentedGateway,
  memories: Memories,
): Promise<unknown> {
  switch (name) {
    case 'discovered_servers':
      return discovered(gateway, servers, given.detailed === true);
    case 'list_servers':
      return servers.map(briefServer);
    case 'list_tools':
      return serverNamed(servers, given.server).tools.map(briefTool);
    case 'query_tool_docs':
      return docsOf(given, servers, gateway);
    case 'search_tool_docs':
      return found(given, servers, gateway);
    case 'capability_summary':
      return summary(servers);
    case 'save_memory':
      return memories.save(textOf(given, 'key'), given.value, given.metadata);
    case 'load_memory':
      return memories.load(textOf(given, 'key'));
    case 'update_memory':
      return memories.update(textOf(given, 'key'), given.value, given.metadata);
    case 'delete_memory':
      return memories.remove(textOf(given, 'key'));
    case 'list_memories':
      return memories.list();
    case 'memory_exists':
      return memories.exists(textOf(given, 'key'));
    default:
      return assertNever(name);
  }
}

async function discovered(
  gateway: DocumentedGateway,
  inReach: readonly JobServer[],
  isDetailed: boolean,
): Promise<unknown> {
  const { servers } = await gateway.listServers();
  const aliases = new Map(inReach.map(({ name, alias }) => [name, alias]));
  // A server that may not run is of no use to a program.
  const usable = servers.filter(({ status }) => USABLE.has(status));
  if (!isDetailed) return usable.map(({ name }) => name);
  return usable.map(({ name, description = '', toolCount, status }) => ({
    ...{ name, description, status, in_reach: aliases.has(name) },
    ...(aliases.has(name) && { alias: aliases.get(name) }),
    ...(toolCount !== undefined && { tools: toolCount }),
  }));
}

function briefServer({ name, alias, description = '' }: JobServer): object {
  return { name, alias, description };
}

function briefTool({ name, alias, description = '' }: JobTool): object {
  return { name, alias, description };
}

async function docsOf(given: Arguments, servers: readonly JobServer[], gateway: DocumentedGateway): Promise<unknown> {
  const server = serverNamed(servers, given.server);
  const isFull = isFullDetail(given.detail);
  if (given.tool === undefined || given.tool === null)
    return server.tools.map((tool) => ({ ...briefTool(tool), ...(isFull && { input_schema: tool.input_schema }) }));
  const wanted = textOf(given, 'tool');
  const tool = server.tools.find(({ name }) => name === wanted) ?? server.tools.find(({ alias }) => alias === wanted);
  const details = await gateway.getToolDetails(server.name, tool?.name ?? wanted);
  return {
    ...{ server: server.name, name: details.tool, alias: tool?.alias ?? aliasOf(details.tool) },
    description: details.description ?? '',
    ...(isFull && { input_schema: details.inputSchema, example: details.example }),
    ...(isFull && details.outputSchema && { output_schema: details.outputSchema }),
  };
}

async function found(given: Arguments, servers: readonly JobServer[], gateway: DocumentedGateway): Promise<unknown> {
  const limit = limitOf(given.limit);
  const isFull = isFullDetail(given.detail);
  const inReach = new Map(servers.map((server) => [server.name, server]));
  const { results } = await gateway.searchTools(textOf(given, 'query'), { limit: SEARCHED });
  const reachable = results.filter(({ server }) => inReach.has(server)).slice(0, limit);
  return reachable.map(({ server, tool: name, summary: brief }) => {
    const tool = inReach.get(server)?.tools.find((one) => one.name === name);
    return {
      ...{ server, server_alias: inReach.get(server)?.alias, name, alias: tool?.alias ?? aliasOf(name) },
      description: isFull ? (tool?.description ?? brief) : brief,
      ...(isFull && { input_schema: tool?.input_schema ?? {} }),
    };
  });
}

function summary(servers: readonly JobServer[]): string {
  if (servers.length === 0) return 'This program can call no MCP server.';
  const lines = servers.map(({ alias, description = '', tools, unlisted }) => {
    const count = unlisted ? 'tools not read yet' : `${tools.length} tools`;
    return `mcp_${alias} (${count})${description === '' ? '' : `: ${description}`}`;
  });
  return [
    `${servers.length} MCP servers available; call a tool as mcp_<alias>.<tool>(**arguments):`,
    ...lines,
    'runtime.search_tool_docs(query) finds tools; runtime.query_tool_docs(server, tool, detail="full") shows one.',
  ].join('\n');
}

function serverNamed(servers: readonly JobServer[], wanted: unknown): JobServer {
  const server = servers.find(({ name }) => name === wanted) ?? servers.find(({ alias }) => alias === wanted);
  if (server) return server;
  const shown = typeof wanted === 'string' ? JSON.stringify(wanted.slice(0, 100)) : String(wanted).slice(0, 100);
  throw new PortolanError(ErrorCode.ServerNotFound, `this program cannot call a server named ${shown}`, {
    hint: 'add it to servers of run_python; runtime.list_servers() lists those available',
  });
}

function aliasOf(name: string): string {
  return pythonAliases([name]).get(name) ?? name;
}

function isFullDetail(detail: unknown): boolean {
  if (detail === undefined || detail === null || detail === 'summary') return false;
  if (detail === 'full') return true;
  throw wrong('detail must be "summary" or "full"');
}

function limitOf(limit: unknown): number {
  if (limit === undefined || limit === null) return DEFAULT_RESULTS;
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1) return Math.min(limit, MAX_RESULTS);
  throw wrong('limit must be an integer of at least 1');
}

function textOf(given: Arguments, name: string): string {
  const value = given[name];
  if (typeof value === 'string' && value !== '' && value.length <= MAX_TEXT_CHARACTERS) return value;
  throw wrong(`${name} must be a string of 1 to ${MAX_TEXT_CHARACTERS} characters`);
}

function wrong(what: string): PortolanError {
  return new PortolanError(ErrorCode.ToolValidationError, what, { hint: 'see help(mcp.runtime)' });
}
