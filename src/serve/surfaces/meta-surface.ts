import { PortolanError } from '../../base/index.js';
import type { Gateway } from '../../gateway/index.js';
import { type Answer, RpcCode, RpcError } from '../../rpc/index.js';
import { instructions } from './instructions.js';
import { failed } from './mcp-answers.js';
import { metaTools, readMetaCall, readOnlyMetaTools } from './meta-tools.js';
import { NAMESPACED_CAPABILITIES, Namespaced } from './namespaced-resources.js';
import type { Introduction, Surface, SurfaceNotification, SurfaceRequest } from './surface.js';
import { TaskRoutes } from './task-routes.js';

const MAX_ADVISED = 1_000;

/** The six meta-tools, which reach every server, and the resources and prompts of all servers. */
export class MetaToolSurface implements Surface {
  readonly readOnlyTools = readOnlyMetaTools();
  readonly #gateway: Gateway;
  readonly #rest: Namespaced;
  readonly #tasks: TaskRoutes;
  /** The clients that were advised to write one need per line. */
  readonly #advised = new Set<string>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.#rest = new Namespaced(gateway);
    this.#tasks = new TaskRoutes(gateway);
  }

  async introduction(): Promise<Introduction> {
    return {
      capabilities: { tools: { listChanged: true }, ...NAMESPACED_CAPABILITIES },
      instructions: instructions(this.#names(), this.#gateway.offersPython, this.#gateway.waiting.length),
    };
  }

  answer(request: SurfaceRequest): Promise<Answer> | undefined {
    switch (request.method) {
      case 'tools/list':
        return Promise.resolve({ value: { tools: metaTools(this.#names(), this.#gateway.offersPython) } });
      case 'tools/call':
        return this.#call(request);
      default:
        return this.#tasks.answer(request) ?? this.#rest.answer(request);
    }
  }

  onClientLeft(caller: string): void {
    this.#advised.delete(caller);
    this.#rest.onClientLeft(caller);
  }

  translate(server: string, notice: SurfaceNotification): SurfaceNotification | undefined {
    // The list of meta-tools does not change, but search results do, and a client may want to know.
    if (notice.method === 'notifications/tools/list_changed')
      return notice.params.isFirst === true ? undefined : { method: notice.method, params: {} };
    return this.#rest.translate(server, notice);
  }

  /** The same names as in `list_mcp_servers`. */
  #names(): string[] {
    return this.#gateway.view.servers.filter(({ admitted }) => admitted).map(({ name }) => name);
  }

  #needsAdvice(client: string): boolean {
    if (this.#advised.has(client)) return false;
    if (this.#advised.size >= MAX_ADVISED) this.#advised.clear();
    this.#advised.add(client);
    return true;
  }

  async #call({ params, conversation, principal }: SurfaceRequest): Promise<Answer> {
    const { name, arguments: given } = params;
    if (typeof name !== 'string') throw new RpcError(RpcCode.invalidParams, 'tools/call has no tool name');
    try {
      const call = readMetaCall(name, given);
      if (!call) {
        this.#gateway.refuseUnknown(name, given, conversation);
        throw new RpcError(RpcCode.invalidParams, `Unknown tool: ${name.slice(0, 100)}`);
      }
      const needsAdvice = (): boolean => this.#needsAdvice(conversation.client);
      const [gateway, tasks] = [this.#gateway, this.#tasks];
      return await call.run({ gateway, tasks, conversation, params, principal, needsAdvice });
    } catch (error) {
      // The model can fix a PortolanError, so return it as a result; anything else is an internal error.
      if (!(error instanceof PortolanError)) throw error;
      return failed(error, given);
    }
  }
}
