/** A meta-tool as it is listed. */
export interface MetaTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** Keeps all definitions under 600 tokens, even with the most expensive names. */
const MAX_NAMES_CHARACTERS = 220;
const MAX_NAME_CHARACTERS = 24;

const text = { type: 'string' } as const;
/** Clients let the user allow read-only tools permanently. */
const annotations = { readOnlyHint: true } as const;

function schema(properties: Record<string, unknown>, required: readonly string[] = []) {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

const RUN_PYTHON: MetaTool = {
  name: 'run_python',
  description:
    'Run sandboxed Python that combines many calls: mcp_<server>.<tool>(**arguments), awaitable. Variables persist. Help: mcp.runtime.capability_summary().',
  inputSchema: schema(
    {
      code: text,
      servers: { type: 'array', items: text },
      timeout: { type: 'number', description: 'seconds' },
      session: { type: 'boolean', default: true },
    },
    ['code'],
  ),
};

/** The meta-tools in their fixed order. */
export function metaTools(aliases: readonly string[], offersPython: boolean): readonly MetaTool[] {
  const behind = aliases.length === 0 ? '' : ` Servers: ${namesOf(aliases)}.`;
  return [
    {
      name: 'list_mcp_servers',
      description: 'List the MCP servers behind this gateway with status and tool counts.',
      inputSchema: schema({}),
      annotations,
    },
    {
      name: 'search_tools',
      description: `Find tools for a task across all MCP servers. Put several needs on separate lines.${behind}`,
      inputSchema: schema({ query: text, server: text, limit: { type: 'integer', default: 10 } }, ['query']),
      annotations,
    },
    {
      name: 'list_tools',
      description: "List one server's tools.",
      inputSchema: schema({ server: text, includeDisabled: { type: 'boolean' } }, ['server']),
      annotations,
    },
    {
      name: 'get_tool_details',
      description: "Get a tool's full input schema and an example. Use before execute_tool.",
      inputSchema: schema({ server: text, tool: text }, ['server', 'tool']),
      annotations,
    },
    {
      name: 'execute_tool',
      description: "Call a server's tool and return its result.",
      inputSchema: schema({ server: text, tool: text, arguments: { type: 'object' } }, ['server', 'tool']),
    },
    ...(offersPython ? [RUN_PYTHON] : []),
  ];
}

/** The names of the meta-tools. */
export function metaToolNames(offersPython: boolean): readonly string[] {
  return metaTools([], offersPython).map(({ name }) => name);
}

/** The instructions for the model. They contain only aliases of admitted servers, and no text of a file or server. */
export function instructions(aliases: readonly string[], offersPython = false, waiting = 0): string {
  const wait = waiting === 1 ? 'waits' : 'wait';
  if (aliases.length === 0 && waiting > 0)
    return `No MCP server is approved yet: ${waiting} ${wait} for the user's approval. Ask the user to run: portolan approve`;
  // Says that there is nothing to search, so that the model does not try.
  if (aliases.length === 0) return 'No MCP server is set up yet: ask the user to add one.';
  const others =
    waiting > 0 ? ` ${waiting} more ${wait} for the user's approval; ask the user to run: portolan approve` : '';
  const programs = offersPython ? ' Combine several calls in one program with run_python.' : '';
  return `This gateway reaches these MCP servers: ${namesOf(aliases)}. Find a tool with search_tools, read its input schema with get_tool_details, call it with execute_tool.${programs}${others}`;
}

/** Why a search may be incomplete. Counts servers without names, because an unapproved file chose the names. */
export function notSearched(waiting: number): string {
  const [wait, were] = waiting === 1 ? ['server waits', 'was'] : ['servers wait', 'were'];
  return `${waiting} ${wait} for the user's approval and ${were} not searched: ask the user to run: portolan approve`;
}

/** As many names as fit, and the number of the rest. */
function namesOf(aliases: readonly string[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const alias of aliases) {
    const name = alias.length > MAX_NAME_CHARACTERS ? `${alias.slice(0, MAX_NAME_CHARACTERS - 1)}…` : alias;
    // Words cost few tokens; digits and punctuation cost about one each.
    length += name.length + name.replaceAll(/[a-z]+/g, '').length + 2;
    if (length > MAX_NAMES_CHARACTERS) break;
    shown.push(name);
  }
  const more = aliases.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}
