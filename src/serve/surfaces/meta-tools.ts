import { executeCalls, type Gateway, type PythonRequest, type ToolCall } from '../../gateway/index.js';
import type { Conversation } from '../../model/index.js';
import type { Answer, Params } from '../../rpc/index.js';
import { outcomesAnswer } from './format-call-outcomes.js';
import { pythonAnswer } from './format-python-answer.js';
import { extraCallParams, forwardedMeta } from './forward-params.js';
import { namesWithin } from './instructions.js';
import { structured } from './mcp-answers.js';
import { MetaArguments } from './meta-arguments.js';
import { notesOn, shortResult } from './search-answer.js';
import type { TaskRoutes } from './task-routes.js';

/** A meta-tool: how it is listed, how its arguments are read, and what it does. */
interface MetaTool<A> {
  readonly name: string;
  /** Clients let the user allow read-only tools permanently, and the bridge repeats their calls at another daemon. */
  readonly readOnly: boolean;
  readonly description: (servers: readonly string[]) => string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  /** Throws an error that the model can fix. */
  parse(fields: MetaArguments): A;
  run(given: A, context: MetaToolContext): Promise<Answer>;
}

/** The call of a meta-tool, beside its arguments. */
interface MetaToolContext {
  readonly gateway: Gateway;
  readonly tasks: TaskRoutes;
  readonly conversation: Conversation;
  readonly params: NonNullable<Params>;
  readonly principal: string;
  /** Whether this client has not had the advice to write one need per line; true only once. */
  readonly needsAdvice: () => boolean;
}

/** A meta-tool as it is listed. */
interface ListedMetaTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

const text = { type: 'string' } as const;
const ONE_NEED_PER_LINE =
  'this query names several needs: write one short need per line to get the best tools for each';

const listServers: MetaTool<object> = {
  name: 'list_mcp_servers',
  readOnly: true,
  description: () => 'List the MCP servers behind this gateway with status and tool counts.',
  properties: {},
  required: [],
  parse: () => ({}),
  run: async (_, { gateway, conversation }) => structured(await gateway.listServers(conversation)),
};

interface SearchArguments {
  readonly query: string | readonly string[];
  readonly server?: string;
  readonly limit?: number;
}

const searchTools: MetaTool<SearchArguments> = {
  name: 'search_tools',
  readOnly: true,
  description: (servers) => {
    const behind = servers.length === 0 ? '' : ` Servers: ${namesWithin(servers)}.`;
    return `Find tools across all MCP servers, with signatures. Write one short need per line; each line gets its best tools.${behind}`;
  },
  properties: { query: text, server: text, limit: { type: 'integer', default: 10 } },
  required: ['query'],
  parse: (fields) => ({ query: fields.query(), ...fields.server(), ...fields.limit() }),
  run: async (given, { gateway, conversation, needsAdvice }) => {
    const { results, severalNeeds, ...rest } = await gateway.searchTools(given.query, given, conversation);
    const isComplete = !rest.pending && !rest.failed;
    const note = [
      ...notesOn(results, isComplete, given.server === undefined ? gateway.waiting.length : 0),
      ...(severalNeeds && needsAdvice() ? [ONE_NEED_PER_LINE] : []),
    ].join('; ');
    return structured({ results: results.map(shortResult), ...(note !== '' && { note }), ...rest });
  },
};

const listTools: MetaTool<{ readonly server: string; readonly includeDisabled: boolean }> = {
  name: 'list_tools',
  readOnly: true,
  description: () => "List one server's tools.",
  properties: { server: text, includeDisabled: { type: 'boolean' } },
  required: ['server'],
  parse: (fields) => ({ server: fields.text('server'), includeDisabled: fields.flag('includeDisabled') }),
  run: async (given, { gateway, conversation }) =>
    structured(await gateway.listTools(given.server, given, conversation)),
};

const getToolDetails: MetaTool<{ readonly server: string; readonly tool: string }> = {
  name: 'get_tool_details',
  readOnly: true,
  description: () => "Get a tool's full input schema and an example, if its signature ends in … or is not enough.",
  properties: { server: text, tool: text },
  required: ['server', 'tool'],
  parse: (fields) => ({ server: fields.text('server'), tool: fields.text('tool') }),
  run: async ({ server, tool }, { gateway, conversation }) =>
    structured(await gateway.getToolDetails(server, tool, conversation)),
};

const executeTool: MetaTool<ToolCall | { readonly calls: readonly ToolCall[] }> = {
  name: 'execute_tool',
  readOnly: false,
  description: () => 'Call a tool, or several in parallel: calls: [{server, tool, arguments}].',
  properties: {
    server: text,
    tool: text,
    arguments: { type: 'object' },
    calls: { type: 'array', items: { type: 'object' } },
  },
  required: [],
  parse: (fields) => {
    const calls = fields.calls();
    return calls ? { calls } : fields.toolCall();
  },
  run: async (given, { gateway, tasks, conversation, params, principal }) => {
    if ('calls' in given) {
      const outcomes = await executeCalls(gateway, given.calls, conversation, { meta: forwardedMeta(params._meta) });
      const { maxResultBytes } = gateway.view.settings.limits;
      return outcomesAnswer(outcomes, (server, result) => tasks.answered(server, result, principal), maxResultBytes);
    }
    const { server, tool, toolArguments } = given;
    const details = { extra: extraCallParams(params), meta: forwardedMeta(params._meta) };
    const result = await gateway.executeTool(server, tool, toolArguments, conversation, details);
    return tasks.answered(server, result, principal);
  },
};

const runPython: MetaTool<PythonRequest> = {
  name: 'run_python',
  readOnly: false,
  description: () =>
    'Run sandboxed Python that combines many calls: mcp_<server>.<tool>(**arguments), awaitable. Variables persist. Help: mcp.runtime.capability_summary().',
  properties: {
    code: text,
    servers: { type: 'array', items: text },
    timeout: { type: 'number', description: 'seconds' },
    session: { type: 'boolean', default: true },
  },
  required: ['code'],
  parse: (fields) => ({
    code: fields.text('code'),
    ...fields.servers(),
    ...fields.timeout(),
    session: fields.flag('session', true),
  }),
  run: async (given, { gateway, conversation }) =>
    pythonAnswer(await gateway.runPython(given, conversation), gateway.view.settings.sandbox.output),
};

/** The meta-tools in the order in which they are listed. A new one is added here and nowhere else. */
const META_TOOLS = [listServers, searchTools, listTools, getToolDetails, executeTool, runPython] as const;

/** The tools as `tools/list` returns them. */
export function metaTools(servers: readonly string[], offersPython: boolean): readonly ListedMetaTool[] {
  return META_TOOLS.filter((tool) => offersPython || tool !== runPython).map(
    ({ name, description, properties, required, readOnly }) => ({
      name,
      description: description(servers),
      inputSchema: { type: 'object', properties, ...(required.length > 0 && { required }) },
      ...(readOnly && { annotations: { readOnlyHint: true } }),
    }),
  );
}

/** The names of the meta-tools. */
export function metaToolNames(offersPython: boolean): readonly string[] {
  return metaTools([], offersPython).map(({ name }) => name);
}

/** The names of the meta-tools that change nothing, whose calls may be repeated. */
export function readOnlyMetaTools(): readonly string[] {
  return META_TOOLS.filter(({ readOnly }) => readOnly).map(({ name }) => name);
}

/** A call of a meta-tool, ready to run; undefined for another tool. Throws an error that the model can fix. */
export function readMetaCall(name: string, given: unknown): MetaCall | undefined {
  const tool: MetaTool<unknown> | undefined = META_TOOLS.find((one) => one.name === name);
  if (!tool) return undefined;
  const parsed = tool.parse(MetaArguments.of(name, given));
  return { parsed, run: (context) => tool.run(parsed, context) };
}

interface MetaCall {
  readonly parsed: unknown;
  run(context: MetaToolContext): Promise<Answer>;
}
