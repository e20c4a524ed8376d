import type { AdmittedServer } from '../../policy/index.js';
import type { EraFacts } from './choose-process.js';
import { SharedPool, type SharedPoolOptions, type Wanted } from './shared-pool.js';
import { launchKey, type Sharing } from './sharing.js';
import type { Lease, LeaseOptions, ServerStatus } from './slot.js';
import type { WorkspaceHooks } from './workspace-hooks.js';

export type { Lease, LeaseOptions, ServerStatus } from './slot.js';
export type { OpenEvents, OpenServer } from './workspace-hooks.js';

export interface PoolOptions extends WorkspaceHooks, SharedPoolOptions {
  /** How a server is shared; by default, by all workspaces of the `SharedPool`. */
  readonly shareOf?: (server: AdmittedServer, asksForRoots: boolean) => Sharing;
  /** The known facts about the eras of a server. */
  readonly erasOf?: (server: AdmittedServer) => EraFacts;
  /** The hash of the client's variables that are passed to servers. */
  readonly passed?: () => string;
  /** Changes when a stored value of the server is replaced; empty without stored values. */
  readonly storedRevision?: (server: AdmittedServer) => string;
}

const NOTHING_KNOWN: EraFacts = { supported: {}, asksClient: false };
const WITH_ALL: Sharing = { share: 'machine', isConfigured: false };

/** The servers of one workspace, some of them shared with others. */
export class Pool implements AsyncDisposable {
  readonly #options: PoolOptions;
  readonly #shared: SharedPool;
  readonly #isOwner: boolean;
  readonly #revisions = new WeakMap<AdmittedServer, string>();

  /** Without `shared`, the pool has all servers for itself. */
  constructor(options: PoolOptions, shared?: SharedPool) {
    this.#options = options;
    this.#isOwner = shared === undefined;
    this.#shared = shared ?? new SharedPool(options);
  }

  status(server: AdmittedServer): ServerStatus {
    return this.#shared.status(this.#wanted(server), this.#options);
  }

  /** Rejects with `ConnectionError` if the server cannot be started or reached, and with `Cancelled` if `signal` aborts. */
  async lease(server: AdmittedServer, options: LeaseOptions = {}): Promise<Lease> {
    return this.leaseAtOnce(server, options);
  }

  /** Like `lease`, but returns without a promise if the server is open. */
  leaseAtOnce(server: AdmittedServer, options: LeaseOptions = {}): Lease | Promise<Lease> {
    this.#checkRevision(server);
    return this.#shared.lease(server, this.#wanted, this.#options, options);
  }

  /** A server that was opened with an older stored value is not used for new calls. */
  #checkRevision(server: AdmittedServer): void {
    const revision = this.#options.storedRevision?.(server) ?? '';
    if (revision === '') return;
    const last = this.#revisions.get(server);
    this.#revisions.set(server, revision);
    if (last !== undefined && last !== revision) this.#shared.forget(server);
  }

  /** Stops all other servers as soon as they have no user. */
  retain(servers: readonly AdmittedServer[]): void {
    this.#shared.retain(
      this.#options,
      servers.map((server) => this.#wanted(server)),
    );
  }

  /** The key of the launch: servers with the same key can share one process, whatever their name and workspace. */
  launchOf(server: AdmittedServer): string {
    const { passed, storedRevision } = this.#options;
    const revision = storedRevision?.(server) ?? '';
    return `${launchKey(server, passed?.() ?? '')}${revision === '' ? '' : ` ${revision}`}`;
  }

  /** Stops the servers that ran for this session only. */
  endSession(session: string): void {
    this.#shared.endSession(this.#options, session);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOwner) await this.#shared[Symbol.asyncDispose]();
    else this.retain([]);
  }

  readonly #wanted = (server: AdmittedServer): Wanted => {
    const { shareOf, erasOf } = this.#options;
    const launch = this.launchOf(server);
    const { share, isConfigured } = shareOf?.(server, this.#shared.asksForRoots(launch)) ?? WITH_ALL;
    return { server, launch, share, isConfigured, ...(erasOf?.(server) ?? NOTHING_KNOWN) };
  };
}
