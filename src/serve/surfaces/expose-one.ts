import { cleanText, ErrorCode, PortolanError, randomKey, type SealPurpose, seal, unseal } from '../../base/index.js';
import type { Gateway } from '../../gateway/index.js';
import type { Era } from '../../model/index.js';
import { type Answer, RpcCode, RpcError } from '../../rpc/index.js';
import { extraCallParams, forwardedMeta, forwardedParams } from './forward-params.js';
import { lostSubscription } from './lost-subscription.js';
import { failed, passed } from './mcp-answers.js';
import { ResourceWatchers } from './resource-watchers.js';
import type { Introduction, Surface, SurfaceNotification, SurfaceRequest } from './surface.js';
import { TaskRoutes } from './task-routes.js';

const CURSOR_MS = 3_600_000;
const MAX_INSTRUCTION_CHARACTERS = 20_000;
/** Only these notifications concern all clients; all others belong to one client's request. */
const SENT_TO_ALL: ReadonlySet<string> = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
]);

/** One server with its own names and all its capabilities, under the usual rules, limits and logging. */
export class ExposeOne implements Surface {
  readonly #gateway: Gateway;
  readonly #server: string;
  readonly #key = randomKey();
  readonly #tasks: TaskRoutes;
  readonly #watchers: ResourceWatchers;

  constructor(gateway: Gateway, server: string) {
    this.#gateway = gateway;
    this.#server = server;
    this.#tasks = new TaskRoutes(gateway);
    this.#watchers = new ResourceWatchers(gateway);
  }

  async introduction(era: Era): Promise<Introduction> {
    const handshake = await this.#gateway.handshakeOf(this.#server, { era });
    return {
      capabilities: handshake?.capabilities ?? { tools: {} },
      ...(handshake?.instructions !== undefined && {
        instructions: cleanText(handshake.instructions, MAX_INSTRUCTION_CHARACTERS).text,
      }),
    };
  }

  answer(request: SurfaceRequest): Promise<Answer> | undefined {
    switch (request.method) {
      case 'tools/list':
        return this.#gateway.toolsOf(this.#server, request.conversation).then((tools) => ({ value: { tools } }));
      case 'tools/call':
        return this.#call(request);
      // Clients share one connection to the server, so its list would show other clients' tasks.
      case 'tasks/list':
        return undefined;
      case 'resources/subscribe':
        return this.#watchers.subscribe(this.#server, String(request.params.uri), request.conversation);
      case 'resources/unsubscribe':
        return this.#watchers.unsubscribe(this.#server, String(request.params.uri), request.conversation);
      default:
        return this.#tasks.answer(request) ?? this.#forward(request);
    }
  }

  inputSchemaOf(name: string): unknown {
    return this.#gateway.knownTools().find(({ server, tool }) => server === this.#server && tool.name === name)?.tool
      .inputSchema;
  }

  onClientLeft(caller: string): void {
    this.#watchers.left(caller);
  }

  translate(server: string, notice: SurfaceNotification): SurfaceNotification | undefined {
    if (server !== this.#server) return undefined;
    if (!SENT_TO_ALL.has(notice.method)) return lostSubscription(server, notice, (uri) => uri);
    return notice.method === 'notifications/tools/list_changed' ? { method: notice.method, params: {} } : notice;
  }

  async #call({ params, conversation, principal }: SurfaceRequest): Promise<Answer> {
    const { name, arguments: given, _meta } = params;
    if (typeof name !== 'string') throw new RpcError(RpcCode.invalidParams, 'tools/call has no tool name');
    const meta = forwardedMeta(_meta);
    try {
      const details = { unchecked: true, extra: extraCallParams(params), ...(meta && { meta }) };
      const result = await this.#gateway.executeTool(this.#server, name, given, conversation, details);
      return this.#tasks.answered(this.#server, result, principal);
    } catch (error) {
      if (!(error instanceof PortolanError) || error.cause instanceof RpcError) throw error;
      if (error.code === ErrorCode.ToolNotFound)
        throw new RpcError(RpcCode.invalidParams, `Unknown tool: ${name.slice(0, 100)}`, { hint: error.hint });
      return failed(error, { server: this.#server, tool: name });
    }
  }

  async #forward({ method, params, conversation }: SurfaceRequest): Promise<Answer> {
    const purpose = { kind: 'cursor', bound: [conversation.client, this.#server, method] };
    const asked = params.cursor === undefined ? params : { ...params, cursor: this.#opened(params.cursor, purpose) };
    const result = await this.#gateway.request(this.#server, method, forwardedParams(asked), conversation);
    const { nextCursor } = result.value;
    if (typeof nextCursor !== 'string') return passed(result);
    return { value: { ...result.value, nextCursor: seal(this.#key, purpose, nextCursor, Date.now() + CURSOR_MS) } };
  }

  #opened(cursor: unknown, purpose: SealPurpose): string {
    const opened = typeof cursor === 'string' ? unseal(this.#key, purpose, cursor, Date.now()) : undefined;
    if (opened?.kind === 'open' && typeof opened.value === 'string') return opened.value;
    const why = opened?.kind === 'expired' ? 'has expired: restart the list' : 'is invalid for this client and list';
    throw new RpcError(RpcCode.invalidParams, `the cursor ${why}`);
  }
}
