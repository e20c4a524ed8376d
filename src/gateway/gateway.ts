import type { PortolanError } from '../base/index.js';
import type { CatalogEntry } from '../catalog/index.js';
import type { Conversation, ServerHandshake, Tool, ToolResult } from '../model/index.js';
import type { AdmittedServer } from '../policy/index.js';
import { findServer, requireAdmitted, type Server, stateOf } from '../policy/index.js';
import { signatureOf } from '../schema-check/index.js';
import { namesSeveralNeeds } from '../search/index.js';
import type { CallOptions, Connection } from '../upstream/index.js';
import { type CallDetails, type Executor, executor, FRESH_MS } from './execute.js';
import { FirstReadDeadline } from './first-read-deadline.js';
import type { SearchAnswer, ServerList, ServersTool, ToolDetails, ToolList } from './gateway-answers.js';
import type { GatewayDependencies, GatewayView } from './gateway-dependencies.js';
import { Programs } from './python/python-programs.js';
import type { KnownTools } from './python/reachable-servers.js';
import type { PythonRequest, PythonRun } from './python/run-python.js';
import { serverAnswer } from './server-answer.js';
import { descriptionOf } from './server-description.js';
import { untilStarted } from './start-wait.js';
import { type ToolListOptions, toolDetails, toolSummary } from './tool-details.js';
import { disabledError, isHeld, marksOf, type ToolView, toolNotFound, viewTools } from './tool-view.js';

/** A loaded model has the vector of a need sooner than this. */
const MODEL_MS = 200;
const LOAD_MODEL_MS = 15_000;
/** The client name for callers of the library that pass none. */
const LIBRARY = 'library';

/** The gateway without a protocol: list servers, search and describe tools, call them, run programs. */
export class Gateway {
  readonly #parts: GatewayDependencies;
  readonly #executor: Executor;
  readonly #programs: Programs;
  readonly #firstReads = new FirstReadDeadline();
  /** Separate, so that a server that was waited for among all others is waited for again when it is named. */
  readonly #firstReadOfOne = new FirstReadDeadline();

  constructor(parts: GatewayDependencies) {
    this.#parts = parts;
    this.#executor = executor(parts);
    this.#programs = new Programs(parts.python, parts.audit);
  }

  get view(): GatewayView {
    return this.#parts.view();
  }

  /** The servers that cannot be searched or called until the user approves them. */
  get waiting(): readonly Server[] {
    return this.view.servers.filter(({ verdict }) => stateOf(verdict) === 'pending-approval');
  }

  async listServers(conversation?: Conversation): Promise<ServerList> {
    await this.#settle(conversation);
    const { servers, ...view } = this.view;
    const pending = this.#pending(servers);
    return {
      servers: servers.map((server) => serverAnswer(server, view, this.#parts)),
      ...(pending.length > 0 && { pending }),
    };
  }

  /** Searches the tools known within the time limit, and reports servers that are pending or failed. */
  async searchTools(
    query: string | readonly string[],
    options: { readonly server?: string; readonly limit?: number; readonly loadsModel?: boolean } = {},
    conversation?: Conversation,
  ): Promise<SearchAnswer> {
    const { servers } = this.view;
    const only = options.server === undefined ? undefined : findServer(servers, options.server);
    if (only) requireAdmitted(only);
    await this.#settle(conversation, only?.name);
    const { index, catalog, uses } = this.#parts;
    uses.prepare();
    await index.prepare(query, options.loadsModel ? LOAD_MODEL_MS : MODEL_MS, options.loadsModel);
    const found = index.search(query, {
      ...(options.limit !== undefined && { limit: options.limit }),
      ...(only && { server: only.name }),
    });
    uses.searched(conversation?.client ?? LIBRARY, query, found, only?.name);
    const results = found.map((result) => {
      const listed = catalog.entry(result.server)?.tools?.find(({ tool }) => tool.name === result.tool);
      const signature = signatureOf(result.tool, listed?.tool.inputSchema);
      return { ...result, signature, ...(listed && marksOf(listed)) };
    });
    const pending = this.#pending(only ? [only] : servers);
    const failed = catalog
      .entries()
      .filter(({ server }) => !only || server.name === only.name)
      .flatMap(({ server, error }) => (error === undefined ? [] : [{ server: server.name, error }]));
    const severalNeeds = namesSeveralNeeds(query);
    return {
      results,
      ...(severalNeeds && { severalNeeds }),
      ...(pending.length > 0 && { pending }),
      ...(failed.length > 0 && { failed }),
    };
  }

  /** Settles when no call is in flight. */
  whenIdle(): Promise<void> {
    return this.#executor.whenIdle();
  }

  async listTools(server: string, options: ToolListOptions = {}, conversation?: Conversation): Promise<ToolList> {
    const admitted = this.#admitted(server);
    const views = this.#viewsOf(await this.#known(admitted, conversation));
    return {
      server: admitted.name,
      tools: [...views.values()].filter(({ enabled }) => enabled || options.includeDisabled === true).map(toolSummary),
    };
  }

  async getToolDetails(server: string, tool: string, conversation?: Conversation): Promise<ToolDetails> {
    const admitted = this.#admitted(server);
    let entry = await this.#known(admitted, conversation);
    let view = this.#viewOf(entry, tool);
    if (!view && Date.now() - (entry.readAt ?? 0) >= FRESH_MS) {
      // The tool may be newer than the cached list.
      entry = await this.#read(admitted, conversation);
      view = this.#viewOf(entry, tool);
    }
    if (!view) throw toolNotFound(admitted.name, tool, this.#viewsOf(entry));
    const refusal = isHeld(view) ? disabledError(admitted.name, view) : undefined;
    if (refusal) throw refusal;
    return toolDetails(admitted.name, view);
  }

  /** The error of calling a known tool that is disabled; undefined if it is enabled or unknown. */
  refusalOf(server: string, tool: string): PortolanError | undefined {
    const { name } = this.#admitted(server);
    const entry = this.#parts.catalog.entry(name);
    const view = entry && this.#viewOf(entry, tool);
    return view && disabledError(name, view);
  }

  /** Returns the upstream server's own result. Rejects with a `PortolanError` that a model can act on. */
  executeTool(
    server: string,
    tool: string,
    toolArguments: unknown,
    conversation: Conversation,
    more: CallDetails = {},
  ): Promise<ToolResult> {
    const { meta, extra, unchecked, via } = more;
    return this.#executor.execute({ server, tool, toolArguments, conversation, meta, extra, unchecked, via });
  }

  /** Logs a call of a tool that this gateway does not offer; the caller reports the error. */
  refuseUnknown(tool: string, toolArguments: unknown, conversation: Conversation): void {
    this.#executor.refuseUnknown(tool, toolArguments, conversation);
  }

  /** Whether an engine for programs is available, as far as is known without starting one. */
  get offersPython(): boolean {
    return this.#parts.python.isOffered();
  }

  /** Runs a program over the tools. Errors of the program are part of the result; rejects only if it cannot be run. */
  runPython(request: PythonRequest, conversation: Conversation): Promise<PythonRun> {
    return this.#programs.run(this, request, conversation);
  }

  /** Drops the variables that programs of a disconnected client left behind. */
  endPrograms(session: string): void {
    this.#programs.forget(session);
  }

  knownToolsOf(server: string): KnownTools | undefined {
    const entry = this.#parts.catalog.entry(server);
    if (!entry?.tools) return undefined;
    const views = [...this.#viewsOf(entry).values()];
    return {
      enabled: views.filter(({ enabled }) => enabled).map(({ listed }) => listed.tool),
      disabled: views.filter(({ enabled }) => !enabled).map(({ listed }) => listed.tool.name),
    };
  }

  descriptionOf(server: string): string | undefined {
    const { admitted } = findServer(this.view.servers, server);
    return admitted && descriptionOf(admitted, this.#parts.catalog.entry(admitted.name));
  }

  /** The full definitions of a server's enabled tools. */
  async toolsOf(server: string, conversation?: Conversation): Promise<readonly Tool[]> {
    const views = this.#viewsOf(await this.#known(this.#admitted(server), conversation));
    return [...views.values()].filter(({ enabled }) => enabled).map(({ listed }) => listed.tool);
  }

  /** The enabled tools of all servers, after a limited wait for servers that have not been read yet. */
  async everyTool(conversation?: Conversation): Promise<readonly ServersTool[]> {
    await this.#settle(conversation);
    return this.knownTools();
  }

  knownTools(): readonly ServersTool[] {
    return this.view.servers.flatMap(({ name, alias, admitted }) => {
      const entry = admitted && this.#parts.catalog.entry(name);
      const views = entry ? [...this.#viewsOf(entry).values()] : [];
      return views.filter(({ enabled }) => enabled).map(({ listed }) => ({ server: name, alias, tool: listed.tool }));
    });
  }

  /** The server's response to `initialize`. `conversation` is that of the client that asks for it, as far as it is known. */
  async handshakeOf(server: string, conversation: Pick<Conversation, 'era'>): Promise<ServerHandshake | undefined> {
    return (await this.#known(this.#admitted(server), conversation)).handshake;
  }

  /** The admitted servers that declare a capability other than tools, by its name in the protocol. */
  async serversWith(capability: string, conversation: Pick<Conversation, 'era'>): Promise<readonly Server[]> {
    await this.#settle(undefined, undefined, conversation.era);
    return this.view.servers.filter(({ name, admitted }) => {
      const handshake = admitted && this.#parts.catalog.entry(name)?.handshake;
      return handshake?.capabilities?.[capability] !== undefined;
    });
  }

  /** Forwards a request that is not a tool call, such as a prompt, a resource or a completion. */
  request(
    server: string,
    method: string,
    params: Readonly<Record<string, unknown>>,
    conversation: Conversation,
  ): Promise<ToolResult> {
    return this.#connected(server, conversation, (connection, options) => connection.request(method, params, options));
  }

  /** Keeps a server connected for clients of this era until the returned value is disposed of. */
  async hold(server: string, era: Conversation['era']): Promise<Disposable> {
    return this.#parts.pool.lease(this.#admitted(server), { purpose: 'watch', era });
  }

  /** All pages of a list method. */
  list(server: string, method: string, key: string, conversation: Conversation): Promise<readonly unknown[]> {
    return this.#connected(server, conversation, (connection, options) => connection.list(method, key, options));
  }

  async #connected<T>(
    name: string,
    conversation: Conversation,
    act: (connection: Connection, options: CallOptions) => Promise<T>,
  ): Promise<T> {
    const server = this.#admitted(name);
    using _turn = await this.#parts.gate.enter(
      { client: conversation.client, server: server.name },
      conversation.signal,
    );
    const leased = this.#parts.pool.lease(server, conversation);
    using lease = await untilStarted(leased, server, conversation, this.#parts, (late) => late[Symbol.dispose]());
    const { callMs, totalMs } = this.view.settings.timeouts;
    const timeoutMs = server.definition.timeoutMs ?? callMs;
    const longestMs = Math.max(timeoutMs, totalMs);
    return await act(lease.connection, { server: server.name, conversation, timeoutMs, totalMs: longestMs });
  }

  #admitted(name: string): AdmittedServer {
    return requireAdmitted(findServer(this.view.servers, name));
  }

  /** The cached entry of a server; reads the server if there is none. */
  async #known(server: AdmittedServer, conversation?: Partial<Conversation>): Promise<CatalogEntry> {
    const { catalog } = this.#parts;
    const entry = catalog.entry(server.name);
    if (!entry?.tools) return this.#read(server, conversation);
    catalog.refreshIfStale(server.name, conversation?.era);
    return entry;
  }

  #read(server: AdmittedServer, conversation: Partial<Conversation> | undefined): Promise<CatalogEntry> {
    return untilStarted(this.#parts.catalog.refresh(server.name, conversation?.era), server, conversation, this.#parts);
  }

  #viewsOf(entry: CatalogEntry): ReadonlyMap<string, ToolView> {
    const { judge, settings } = this.view;
    return viewTools(entry, judge, settings.pins);
  }

  #viewOf(entry: CatalogEntry, tool: string): ToolView | undefined {
    return this.#viewsOf(entry).get(tool);
  }

  #pending(servers: readonly Server[]): string[] {
    const { catalog } = this.#parts;
    return servers.filter(({ name, admitted }) => admitted && catalog.isPending(name)).map(({ name }) => name);
  }

  async #settle(conversation: Conversation | undefined, only?: string, era = conversation?.era): Promise<void> {
    const deadline = only === undefined ? this.#firstReads : this.#firstReadOfOne;
    const readings = this.#parts.catalog.refreshStale(only, era);
    await deadline.settle(readings, this.view.settings.timeouts.searchMs, conversation);
  }
}
