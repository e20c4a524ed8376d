import type { AdmittedServer } from '../../policy/index.js';
import { SharedPool, type SharedPoolOptions, type Wanted } from './shared-pool.js';
import { launchKey, type Sharing } from './sharing.js';
import type { Lease, LeaseOptions, ServerStatus } from './slot.js';
import type { WorkspaceHooks } from './workspace-hooks.js';

export type { Lease, LeaseOptions, ServerStatus } from './slot.js';
export type { OpenEvents, OpenServer } from './workspace-hooks.js';

export interface PoolOptions extends WorkspaceHooks, SharedPoolOptions {
  /** With whom a server may be shared; without it, with all who use the same processes. */
  readonly shareOf?: (server: AdmittedServer, asksForRoots: boolean) => Sharing;
  /** Stands for the client's variables that servers are given. */
  readonly passed?: () => string;
}

const WITH_ALL: Sharing = { share: 'machine', isSaid: false };

/** The servers of one workspace: its own, and those that it shares with others. */
export class Pool implements AsyncDisposable {
  readonly #options: PoolOptions;
  readonly #shared: SharedPool;
  readonly #isOwner: boolean;

  /** Without `shared` nothing is: what it starts is its own. */
  constructor(options: PoolOptions, shared?: SharedPool) {
    this.#options = options;
    this.#isOwner = shared === undefined;
    this.#shared = shared ?? new SharedPool(options);
  }

  status(server: AdmittedServer): ServerStatus {
    return this.#shared.status(this.#wanted(server), this.#options);
  }

  /** Rejects with `ConnectionError` if the server cannot be had, and with `Cancelled` if nobody wants it any more. */
  async lease(server: AdmittedServer, options: LeaseOptions = {}): Promise<Lease> {
    return this.leaseAtOnce(server, options);
  }

  /** The same, without a promise where the server is open. */
  leaseAtOnce(server: AdmittedServer, options: LeaseOptions = {}): Lease | Promise<Lease> {
    return this.#shared.lease(server, this.#wanted, this.#options, options);
  }

  /** What is not among these any more is stopped once nobody uses it. */
  retain(servers: readonly AdmittedServer[]): void {
    this.#shared.retain(
      this.#options,
      servers.map((server) => this.#wanted(server)),
    );
  }

  /** The same for two servers, of whatever name and in whatever workspace, that are one process. */
  launchOf(server: AdmittedServer): string {
    return launchKey(server, this.#options.passed?.() ?? '');
  }

  /** What ran for this client alone is stopped. */
  endSession(session: string): void {
    this.#shared.endSession(this.#options, session);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOwner) await this.#shared[Symbol.asyncDispose]();
    else this.retain([]);
  }

  readonly #wanted = (server: AdmittedServer): Wanted => {
    const { shareOf } = this.#options;
    const launch = this.launchOf(server);
    const { share, isSaid } = shareOf?.(server, this.#shared.asksForRoots(launch)) ?? WITH_ALL;
    return { server, launch, share, isSaid };
  };
}
