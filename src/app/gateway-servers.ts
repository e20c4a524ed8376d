import { ErrorCode, type Log, PortolanError } from '../base/index.js';
import { Catalog, type CatalogEntry, diskStore, withoutCache } from '../catalog/index.js';
import { checkFiles, type OwnFolders, ownFolders, startLimit } from '../discovery/index.js';
import type { Host } from '../model/index.js';
import type { AdmittedServer } from '../policy/index.js';
import { ENVELOPE_BYTES } from '../rpc/index.js';
import {
  accessError,
  authProviderFor,
  credentialStore,
  type OpenServer,
  openServer,
  Pool,
  type PoolOptions,
  passedKey,
  type SdkServerFactory,
  usualShare,
} from '../upstream/index.js';
import { credentialPath, storedRevision, withStoredValues } from '../use-cases/index.js';
import type { CurrentScan } from './current-scan.js';
import { lastAnswer } from './last-answer.js';
import { readingStarted } from './refresh-started.js';
import type { SharedResources } from './shared-resources.js';
import { watchPins } from './watch-pins.js';

export interface ServersOptions {
  readonly scan: CurrentScan;
  readonly shared: SharedResources;
  readonly sdkServers?: Readonly<Record<string, SdkServerFactory>>;
  readonly log: Log;
  readonly version: string;
  /** Called with the tools of a server whenever they were read. */
  readonly onTools: (entry: CatalogEntry) => void;
}

/** A notification that a server sent, in the form of the protocol. */
export type ServerListener = (server: string, method: string, params: Readonly<Record<string, unknown>>) => void;

const TOOLS_CHANGED = 'notifications/tools/list_changed';

/** The servers of one gateway: the pool that runs them and the catalog of their tools, which call each other. */
export class GatewayServers implements AsyncDisposable {
  readonly pool: Pool;
  readonly catalog: Catalog;
  /** Answers a server's `roots/list` when no call is in flight. */
  roots = async (): Promise<Record<string, unknown>> => ({ roots: [] });
  readonly #scan: CurrentScan;
  readonly #folders: OwnFolders;
  readonly #hooks: PoolOptions;
  readonly #listeners = new Set<ServerListener>();
  readonly #pins: Disposable;
  #isEnding = false;

  constructor(options: ServersOptions) {
    const { scan, shared } = options;
    const { host } = scan.latest.discovery;
    this.#scan = scan;
    this.#folders = ownFolders(host);
    this.#hooks = this.#poolHooks(options, host);
    this.pool = new Pool(readingStarted(this.#hooks, this.#readAgain), shared.pool);
    this.catalog = this.#openCatalog(options);
    this.#pins = watchPins(this.catalog);
  }

  /** Subscribes to notifications of servers until the returned function is called. */
  listen(listener: ServerListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    this.#pins[Symbol.dispose]();
    await this.pool[Symbol.asyncDispose]();
  }

  #poolHooks({ scan, shared, sdkServers, log, version }: ServersOptions, host: Host): PoolOptions {
    const credentials = credentialStore(credentialPath(host));
    const guardian = shared.guardianIn(this.#folders);
    const connectorToken = host.env.PORTOLAN_CONNECTORS_TOKEN;
    const passed = lastAnswer((passEnv: readonly string[]) => passedKey({ env: host.env, passEnv, connectorToken }));
    return {
      open: async (admitted, events, signal, wantedEra) => {
        const { server, values } = await withStoredValues(admitted, host);
        const opened = await openServer(
          server,
          {
            storedValues: values,
            ...{ platform: host.platform, env: host.env, home: host.home, cwd: host.cwd },
            passEnv: scan.settings.passEnv,
            guardian,
            // The approval is for the entry with its references.
            checkFiles: () => {
              try {
                return checkFiles(admitted, scan.latest.discovery);
              } catch (error) {
                void scan.reload().catch(() => undefined); // so that the next call asks for approval
                throw error;
              }
            },
            limits: () => ({
              maxLineBytes: scan.settings.limits.maxResultBytes + ENVELOPE_BYTES,
              maxDepth: scan.settings.limits.maxDepth,
            }),
            access: (admitted) => {
              // OAuth applies to HTTP only; a WebSocket entry has its own credentials.
              if (!/^https?:/i.test(admitted.definition.url ?? '')) return undefined;
              const authProvider = authProviderFor(admitted, credentials);
              const explain = (error: unknown) => accessError(admitted, credentials, error);
              return { explain, ...(authProvider && { authProvider }) };
            },
            ...(connectorToken !== undefined && { connectorToken }),
            ...(sdkServers && { sdkServers }),
            client: { name: 'portolan', version },
            startLimit: ({ name, definition }) => startLimit(name, definition, scan.settings),
            eraOf: ({ name }) => this.catalog.eraOf(name, wantedEra),
            wantedEra,
            roots: () => this.roots(),
            logFolder: this.#folders.logs,
            log,
          },
          events,
          signal,
        );
        this.catalog.note(admitted.name, { eras: opened.eras ?? {} });
        return opened;
      },
      shareOf: ({ name, definition }, asksForRoots) => {
        const configured = scan.settings.share[name];
        if (configured) return { share: configured, isConfigured: true };
        const asks = asksForRoots || this.catalog.entry(name)?.asksForRoots === true;
        return { share: usualShare(definition, asks), isConfigured: false };
      },
      erasOf: ({ name }) => {
        const asksClient = this.catalog.entry(name)?.asksClient === true;
        return { supported: this.catalog.erasOf(name), asksClient };
      },
      passed: () => passed(scan.settings.passEnv),
      storedRevision: ({ definition }) => storedRevision(definition, host),
      onRootsRequest: ({ name }) => this.catalog.note(name, { asksForRoots: true }),
      onClientRequest: ({ name }) => this.catalog.note(name, { asksClient: true }),
      onStartResult: (server, failure) => this.catalog.noteOutcome(server, failure),
      idleMs: () => scan.settings.timeouts.idleMs,
      onNotification: (server, method, params, era) => {
        // The next read of the tools shows whether they really changed.
        if (method === TOOLS_CHANGED) this.catalog.refreshSoon(server.name, era);
        else this.#tell(server.name, method, params);
      },
      log,
    };
  }

  #openCatalog({ scan, log, onTools }: ServersOptions): Catalog {
    const store = diskStore(this.#folders, log);
    const catalog = new Catalog({
      store: scan.settings.cache.enabled ? store : withoutCache(store),
      connected: async (server, act, purpose, era) => {
        try {
          using lease = await this.pool.lease(server, { purpose, era });
          return await act(lease.connection);
        } catch (cause) {
          if (this.#isEnding) throw new PortolanError(ErrorCode.Cancelled, 'the gateway is shutting down', { cause });
          throw cause;
        }
      },
      ttlMs: () => scan.settings.cache.ttl * 1000,
      listMs: (server) => server.definition.startupTimeoutMs ?? scan.settings.timeouts.startMs,
      changed: (entry, before) => {
        onTools(entry);
        if (before && hashesOf(before) !== hashesOf(entry))
          // The first read changes only surfaces that list the servers' own tools.
          this.#tell(entry.server.name, TOOLS_CHANGED, before.tools ? {} : { isFirst: true });
      },
      log,
    });
    catalog.use(scan.latest.admitted);
    return catalog;
  }

  #readAgain = async (server: AdmittedServer, { connection, era }: OpenServer): Promise<void> => {
    // The refresh must not start a process, so it skips servers without a shared connection.
    if (!this.#scan.latest.admitted.includes(server) || this.pool.status(server).state !== 'connected') return;
    if (this.#hooks.shareOf?.(server, false).share === 'session') return;
    using lease = await this.pool.lease(server, { purpose: 'read', era });
    if (lease.connection === connection) await this.catalog.compare(server, connection);
  };

  #tell: ServerListener = (server, method, params) => {
    for (const listener of this.#listeners) listener(server, method, params);
  };
}

/** A text that changes if a server's tools change, or one of them becomes callable. */
function hashesOf({ tools = [] }: CatalogEntry): string {
  return tools.map(({ hash, pin }) => `${hash} ${pin}`).join();
}
