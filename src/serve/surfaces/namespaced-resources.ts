import { cleanDeep, deadline, isObject } from '../../base/index.js';
import type { Gateway } from '../../gateway/index.js';
import type { Conversation } from '../../model/index.js';
import { type Answer, RpcCode, RpcError } from '../../rpc/index.js';
import { forwardedParams } from './forward-params.js';
import { lostSubscription } from './lost-subscription.js';
import { passed } from './mcp-answers.js';
import { ResourceWatchers } from './resource-watchers.js';
import type { Surface, SurfaceNotification, SurfaceRequest } from './surface.js';

const SCHEME = 'portolan://';
const SEPARATOR = '__';
/** The time limit for each server's list, so that a slow server does not delay the others. */
const LIST_MS = 5_000;
const MAX_TEXT_CHARACTERS = 8_000;
const MAX_ITEM_DEPTH = 32;

export const NAMESPACED_CAPABILITIES = {
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
} as const;

type Named = Readonly<Record<string, unknown>>;

/** Resources and prompts of every server under its alias. Servers are asked only on request. */
export class Namespaced implements Pick<Surface, 'answer' | 'translate' | 'onClientLeft'> {
  readonly #gateway: Gateway;
  readonly #watchers: ResourceWatchers;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.#watchers = new ResourceWatchers(gateway);
  }

  answer({ method, params, conversation }: SurfaceRequest): Promise<Answer> | undefined {
    switch (method) {
      case 'resources/list':
        return this.#list(conversation, method, 'resources', 'resources', ({ uri, ...item }, alias) => ({
          ...item,
          uri: outerUri(alias, String(uri)),
        }));
      case 'resources/templates/list':
        return this.#list(
          conversation,
          method,
          'resources',
          'resourceTemplates',
          ({ uriTemplate, ...item }, alias) => ({
            ...item,
            uriTemplate: outerUri(alias, String(uriTemplate)),
          }),
        );
      case 'prompts/list':
        return this.#list(conversation, method, 'prompts', 'prompts', ({ name, ...item }, alias) => ({
          ...item,
          name: `${alias}${SEPARATOR}${String(name)}`,
        }));
      case 'resources/read':
        return this.#read(params, conversation);
      case 'resources/subscribe': {
        const { alias, inner } = innerUri(params.uri);
        return this.#watchers.subscribe(this.#nameOf(alias), inner, conversation);
      }
      case 'resources/unsubscribe': {
        const { alias, inner } = innerUri(params.uri);
        return this.#watchers.unsubscribe(this.#nameOf(alias), inner, conversation);
      }
      case 'prompts/get': {
        const { alias, inner } = this.#innerName(params.name);
        return this.#forward(alias, method, { ...params, name: inner }, conversation);
      }
      case 'completion/complete':
        return this.#complete(params, conversation);
      default:
        return undefined;
    }
  }

  onClientLeft(caller: string): void {
    this.#watchers.left(caller);
  }

  translate(server: string, notice: SurfaceNotification): SurfaceNotification | undefined {
    const { method, params } = notice;
    const alias = this.#gateway.view.servers.find(({ name }) => name === server)?.alias;
    if (alias === undefined) return undefined;
    switch (method) {
      case 'notifications/resources/list_changed':
      case 'notifications/prompts/list_changed':
        return { method, params: {} };
      case 'notifications/resources/updated':
        return typeof params.uri === 'string' ? { method, params: { uri: outerUri(alias, params.uri) } } : undefined;
      default:
        return lostSubscription(server, notice, (uri) => outerUri(alias, uri));
    }
  }

  /** Leaves out servers that fail or are too slow. */
  async #list(
    conversation: Conversation,
    method: string,
    capability: string,
    key: string,
    rename: (item: Named, alias: string) => Named,
  ): Promise<Answer> {
    const servers = await this.#gateway.serversWith(capability, conversation);
    const lists = await Promise.all(
      servers.map(async ({ name, alias }) => {
        using limit = deadline(LIST_MS, conversation.signal);
        const limited = { ...conversation, signal: limit.signal };
        const items = await this.#gateway.list(name, method, key, limited).catch((): readonly unknown[] => []);
        // Names and descriptions are read by a model.
        return items.filter(isObject).map((item) => rename(cleaned(item), alias));
      }),
    );
    return { value: { [key]: lists.flat() } };
  }

  async #read(params: Named, conversation: Conversation): Promise<Answer> {
    const { alias, inner } = innerUri(params.uri);
    const answer = await this.#gateway.request(
      this.#nameOf(alias),
      'resources/read',
      forwardedParams({ ...params, uri: inner }),
      conversation,
    );
    const contents = Array.isArray(answer.value.contents) ? answer.value.contents.filter(isObject) : [];
    const renamed = contents.map(({ uri, ...content }) => ({ ...content, uri: outerUri(alias, String(uri)) }));
    return { value: answer.value.contents === undefined ? answer.value : { ...answer.value, contents: renamed } };
  }

  async #complete(params: Named, conversation: Conversation): Promise<Answer> {
    const ref = isObject(params.ref) ? params.ref : {};
    const isPrompt = ref.type === 'ref/prompt';
    const { alias, inner } = isPrompt ? this.#innerName(ref.name) : innerUri(ref.uri);
    const renamed = isPrompt ? { ...ref, name: inner } : { ...ref, uri: inner };
    return this.#forward(alias, 'completion/complete', { ...params, ref: renamed }, conversation);
  }

  /** By alias only: another server may have the same text as its name. */
  #nameOf(alias: string): string {
    const server = this.#gateway.view.servers.find((one) => one.alias === alias);
    if (server) return server.name;
    throw new RpcError(RpcCode.invalidParams, `there is no server with the alias ${alias}`);
  }

  /** An alias may contain the separator, so the longest match wins. */
  #innerName(name: unknown): { alias: string; inner: string } {
    const fits = this.#gateway.view.servers
      .map(({ alias }) => alias)
      .filter((alias) => typeof name === 'string' && name.startsWith(`${alias}${SEPARATOR}`))
      .sort((a, b) => b.length - a.length);
    const [alias] = fits;
    if (alias !== undefined) return { alias, inner: String(name).slice(alias.length + SEPARATOR.length) };
    throw new RpcError(RpcCode.invalidParams, `unknown prompt: the name must begin with <server>${SEPARATOR}`);
  }

  async #forward(alias: string, method: string, params: Named, conversation: Conversation): Promise<Answer> {
    return passed(await this.#gateway.request(this.#nameOf(alias), method, forwardedParams(params), conversation));
  }
}

/** Removes invisible characters from display texts; identifiers stay unchanged. */
function cleaned(item: Named): Named {
  const { value } = cleanDeep(item, MAX_TEXT_CHARACTERS, MAX_ITEM_DEPTH);
  const { uri, uriTemplate, name } = item;
  const asked = { uri, uriTemplate, name };
  const kept = Object.entries(asked).filter(([, one]) => one !== undefined);
  return { ...(isObject(value) ? value : {}), ...Object.fromEntries(kept) };
}

function outerUri(alias: string, uri: string): string {
  return `${SCHEME}${alias}/${uri}`;
}

function innerUri(uri: unknown): { alias: string; inner: string } {
  const match = typeof uri === 'string' && uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : undefined;
  const slash = match?.indexOf('/') ?? -1;
  if (match !== undefined && slash > 0) return { alias: match.slice(0, slash), inner: match.slice(slash + 1) };
  throw new RpcError(RpcCode.invalidParams, `unknown resource: the URI must begin with ${SCHEME}<server>/`, { uri });
}
