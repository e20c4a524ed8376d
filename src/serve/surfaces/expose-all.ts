import { PortolanError, sha256 } from '../../base/index.js';
import type { Gateway } from '../../gateway/index.js';
import type { Conversation } from '../../model/index.js';
import { type Answer, RpcCode, RpcError } from '../../rpc/index.js';
import { extraCallParams, forwardedMeta } from './forward-params.js';
import { instructions } from './instructions.js';
import { failed } from './mcp-answers.js';
import { NAMESPACED_CAPABILITIES, Namespaced } from './namespaced-resources.js';
import type { Introduction, Surface, SurfaceNotification, SurfaceRequest } from './surface.js';
import { TaskRoutes } from './task-routes.js';

/** The tool name limits of the strictest clients. */
const MAX_NAME_CHARACTERS = 64;
const HASH_CHARACTERS = 8;
const SEPARATOR = '__';

type EveryTool = Awaited<ReturnType<Gateway['everyTool']>>;

/** Every tool of every server as `server__tool`, with the servers' resources and prompts. */
export class ExposeAll implements Surface {
  readonly #gateway: Gateway;
  readonly #rest: Namespaced;
  readonly #tasks: TaskRoutes;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.#rest = new Namespaced(gateway);
    this.#tasks = new TaskRoutes(gateway);
  }

  async introduction(): Promise<Introduction> {
    const aliases = this.#gateway.view.servers.filter(({ admitted }) => admitted).map(({ alias }) => alias);
    return {
      capabilities: { tools: { listChanged: true }, ...NAMESPACED_CAPABILITIES },
      instructions: instructions(aliases, false, this.#gateway.waiting.length),
    };
  }

  answer(request: SurfaceRequest): Promise<Answer> | undefined {
    switch (request.method) {
      case 'tools/list':
        return this.#list(request);
      case 'tools/call':
        return this.#call(request);
      default:
        return this.#tasks.answer(request) ?? this.#rest.answer(request);
    }
  }

  inputSchemaOf(name: string): unknown {
    return outerNames(this.#gateway.knownTools()).get(name)?.tool.inputSchema;
  }

  onClientLeft(caller: string): void {
    this.#rest.onClientLeft(caller);
  }

  translate(server: string, notice: SurfaceNotification): SurfaceNotification | undefined {
    if (notice.method === 'notifications/tools/list_changed') return { method: notice.method, params: {} };
    return this.#rest.translate(server, notice);
  }

  async #list({ conversation }: SurfaceRequest): Promise<Answer> {
    const named = outerNames(await this.#gateway.everyTool(conversation));
    return { value: { tools: [...named].map(([name, { tool }]) => ({ ...tool, name })) } };
  }

  /** Known tools are called at once, even while other servers are still being read. */
  async #meant(name: string, conversation: Conversation): Promise<EveryTool[number] | undefined> {
    const known = outerNames(this.#gateway.knownTools()).get(name);
    return known ?? outerNames(await this.#gateway.everyTool(conversation)).get(name);
  }

  async #call({ params, conversation, principal }: SurfaceRequest): Promise<Answer> {
    const { name, arguments: given, _meta } = params;
    const meant = typeof name === 'string' ? await this.#meant(name, conversation) : undefined;
    if (!meant) {
      if (typeof name === 'string') this.#gateway.refuseUnknown(name, given, conversation);
      throw new RpcError(RpcCode.invalidParams, `Unknown tool: ${String(name).slice(0, 100)}`);
    }
    const { server, tool } = meant;
    const meta = forwardedMeta(_meta);
    try {
      const details = { extra: extraCallParams(params), ...(meta && { meta }) };
      const result = await this.#gateway.executeTool(server, tool.name, given, conversation, details);
      return this.#tasks.answered(server, result, principal);
    } catch (error) {
      if (!(error instanceof PortolanError) || error.cause instanceof RpcError) throw error;
      return failed(error, { server, tool: tool.name });
    }
  }
}

/** Stable names: a name that is invalid or ambiguous ends with a hash of its server and tool. */
function outerNames(tools: EveryTool): ReadonlyMap<string, EveryTool[number]> {
  const named = new Map<string, EveryTool[number]>();
  for (const one of tools) {
    const written = `${one.alias}${SEPARATOR}${one.tool.name}`;
    const plain = written.replaceAll(/[^A-Za-z0-9_.-]/g, '_');
    // The first separator ends the alias, so an alias that contains one gets a hash, even if no other server conflicts yet.
    const isOwn = plain === written && plain.length <= MAX_NAME_CHARACTERS && !one.alias.includes(SEPARATOR);
    named.set(isOwn ? plain : hashedName(plain, JSON.stringify([one.server, one.tool.name])), one);
  }
  return named;
}

function hashedName(plain: string, meant: string): string {
  const hash = sha256(meant).slice(0, HASH_CHARACTERS);
  return `${plain.slice(0, MAX_NAME_CHARACTERS - HASH_CHARACTERS - 1)}_${hash}`;
}
