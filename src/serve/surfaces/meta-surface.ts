import { PortolanError } from '../../base/index.js';
import type { FoundTool, Gateway } from '../../gateway/index.js';
import type { Conversation } from '../../model/index.js';
import { type Answer, RpcCode, RpcError } from '../../rpc/index.js';
import { pythonAnswer } from './format-python-answer.js';
import { besideCall, passedOn } from './forward-params.js';
import { failed, structured } from './mcp-answers.js';
import { type MetaCall, readMetaCall } from './meta-arguments.js';
import { instructions, metaTools, notSearched } from './meta-tools.js';
import { NAMESPACED_CAPABILITIES, Namespaced } from './namespaced-resources.js';
import type { Introduction, Surface, SurfaceNotification, SurfaceRequest } from './surface.js';
import { TaskRoutes } from './task-routes.js';

const NOTHING_FITS = 'no result matches well';

/** The six meta-tools, which reach every server, and the resources and prompts of all servers. */
export class MetaToolSurface implements Surface {
  readonly #gateway: Gateway;
  readonly #rest: Namespaced;
  readonly #tasks: TaskRoutes;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.#rest = new Namespaced(gateway);
    this.#tasks = new TaskRoutes(gateway);
  }

  async introduction(): Promise<Introduction> {
    return {
      capabilities: { tools: { listChanged: true }, ...NAMESPACED_CAPABILITIES },
      instructions: instructions(this.#aliases(), this.#gateway.offersPython, this.#gateway.waiting.length),
    };
  }

  answer(request: SurfaceRequest): Promise<Answer> | undefined {
    switch (request.method) {
      case 'tools/list':
        return Promise.resolve({ value: { tools: metaTools(this.#aliases(), this.#gateway.offersPython) } });
      case 'tools/call':
        return this.#call(request);
      default:
        return this.#tasks.answer(request) ?? this.#rest.answer(request);
    }
  }

  onClientLeft(caller: string): void {
    this.#rest.onClientLeft(caller);
  }

  translate(server: string, notice: SurfaceNotification): SurfaceNotification | undefined {
    // The list of meta-tools does not change, but search results do, and a client may want to know.
    if (notice.method === 'notifications/tools/list_changed')
      return notice.params.isFirst === true ? undefined : { method: notice.method, params: {} };
    return this.#rest.translate(server, notice);
  }

  #aliases(): string[] {
    return this.#gateway.view.servers.filter(({ admitted }) => admitted).map(({ alias }) => alias);
  }

  async #call({ params, conversation, principal }: SurfaceRequest): Promise<Answer> {
    const { name, arguments: given, _meta } = params;
    if (typeof name !== 'string') throw new RpcError(RpcCode.invalidParams, 'tools/call has no tool name');
    try {
      const call = readMetaCall(name, given);
      if (!call) {
        this.#gateway.refuseUnknown(name, given, conversation);
        throw new RpcError(RpcCode.invalidParams, `Unknown tool: ${name.slice(0, 100)}`);
      }
      if (call.tool !== 'execute_tool') return await this.#run(call, conversation);
      const { server, name: tool, toolArguments } = call;
      const details = { extra: besideCall(params), meta: passedOn(_meta) };
      const result = await this.#gateway.executeTool(server, tool, toolArguments, conversation, details);
      return this.#tasks.answered(server, result, principal);
    } catch (error) {
      // The model can fix a PortolanError, so return it as a result; anything else is an internal error.
      if (!(error instanceof PortolanError)) throw error;
      return failed(error, given);
    }
  }

  async #run(call: Exclude<MetaCall, { tool: 'execute_tool' }>, conversation: Conversation): Promise<Answer> {
    const gateway = this.#gateway;
    switch (call.tool) {
      case 'list_mcp_servers':
        return structured(await gateway.listServers(conversation));
      case 'search_tools': {
        const { results, ...rest } = await gateway.searchTools(call.query, call, conversation);
        const note = noteOn(results, call.server === undefined ? gateway.waiting.length : 0);
        return structured({ results: results.map(briefly), ...(note !== '' && { note }), ...rest });
      }
      case 'list_tools':
        return structured(await gateway.listTools(call.server, call));
      case 'get_tool_details':
        return structured(await gateway.getToolDetails(call.server, call.name));
      case 'run_python': {
        const run = await gateway.runPython(call, conversation);
        return pythonAnswer(run, gateway.view.settings.sandbox.output);
      }
    }
  }
}

/** A note for the model if no result fits, so that it does not repeat the search in other words. */
function noteOn([best]: readonly FoundTool[], waiting: number): string {
  if (best && !best.weak) return '';
  return [...(best ? [NOTHING_FITS] : []), ...(waiting > 0 ? [notSearched(waiting)] : [])].join('; ');
}

/** The fields that a model needs: ten results take fewer than 350 tokens. `why` is for people. */
function briefly({ why: _, weak: __, tags, ...result }: FoundTool): object {
  return { ...result, ...(tags.length > 0 && { tags }) };
}
