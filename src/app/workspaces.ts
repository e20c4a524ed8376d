import { ErrorCode, isObject, type Log, PortolanError, sha256 } from '../base/index.js';
import type { DiscoverOptions } from '../discovery/index.js';
import { ENGINE_NAMES } from '../sandbox/index.js';
import type { ClientContext, ConnectHandler } from '../serve/index.js';
import { openServing, type ServingGateway } from './gateway-serving.js';
import { openShared, type SharedResources } from './shared-resources.js';
import { skippedEntries } from './skipped-entries.js';

type Session = Parameters<ConnectHandler['joined']>[0];

export interface WorkspacesOptions {
  /** The daemon's own surroundings, for clients that say nothing of theirs. */
  readonly own: DiscoverOptions;
  readonly home: string;
  readonly version: string;
  readonly log: Log;
}

/** More places than people work in at once; a client that finds no room serves itself. */
const MAX_WORKSPACES = 256;
/** They say where and in which window a client runs and not how its servers behave: another value is no other workspace. */
const VOLATILE = new Set([
  ...['_', 'SHLVL', 'PWD', 'OLDPWD', 'COLUMNS', 'LINES', 'TERM', 'COLORTERM', 'WINDOWID', 'TERM_SESSION_ID'],
  ...['MCP_CLIENT_ID', 'MCP_BRIDGE_SOCKET', 'PORTOLAN_DAEMON', 'XDG_SESSION_ID', 'SSH_TTY', 'TMUX_PANE'],
]);

interface Workspace {
  readonly opening: Promise<ServingGateway>;
  readonly sessions: Set<Session>;
  users: number;
  told?: Disposable;
  closing?: NodeJS.Timeout;
}

/** One chart for each place in which clients work, over the same processes of servers. */
export class Workspaces implements AsyncDisposable {
  readonly shared: SharedResources;
  readonly #options: WorkspacesOptions;
  readonly #open = new Map<string, Workspace>();

  constructor(options: WorkspacesOptions) {
    this.#options = options;
    this.shared = openShared(options.log);
  }

  /** The place of a client; rejects if its settings are wrong or there is no room. */
  async enter(context: ClientContext | undefined): Promise<ConnectHandler & { readonly serving: ServingGateway }> {
    if (context && context.home !== this.#options.home)
      throw new PortolanError(ErrorCode.ConnectionError, 'this daemon serves another home folder', {
        hint: 'set MCP_BRIDGE_SOCKET, or --daemon never',
      });
    const key = keyOf(context);
    const workspace = this.#open.get(key) ?? this.#begin(key, context);
    workspace.users += 1;
    clearTimeout(workspace.closing);
    let serving: ServingGateway;
    try {
      serving = await workspace.opening;
    } catch (error) {
      workspace.users -= 1;
      if (this.#open.get(key) === workspace) this.#open.delete(key); // whoever mends it tries again
      throw error;
    }
    // Who does not say where it works only speaks to the daemon itself, to stop it for example.
    const fault = context && serving.fault();
    if (fault) {
      this.#leave(key, workspace, serving);
      throw fault; // as it would end a start of its own
    }
    let leave: () => void = () => undefined;
    return {
      serving,
      session: serving.session,
      limits: serving.limits,
      about: { skipped: skippedEntries(serving.running.discovery) },
      manners: () => {
        const { askOtherClients, answerForOtherClients } = serving.running.gateway.view.settings.mcpBridge;
        return { mayAskOtherClients: askOtherClients, mayAnswerForOtherClients: answerForOtherClients };
      },
      joined: (session, id) => {
        workspace.sessions.add(session);
        leave = () => {
          workspace.sessions.delete(session);
          serving.running.endSession(id);
        };
      },
      [Symbol.dispose]: () => {
        leave();
        this.#leave(key, workspace, serving);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open].map(([key, workspace]) => this.#close(key, workspace)));
    await this.shared[Symbol.asyncDispose]();
  }

  #begin(key: string, context: ClientContext | undefined): Workspace {
    if (this.#open.size >= MAX_WORKSPACES)
      throw new PortolanError(ErrorCode.LimitExceeded, `there are ${MAX_WORKSPACES} workspaces already`);
    const { own, version, log } = this.#options;
    const surroundings = context ? { ...own, ...readOptions(context), cwd: context.cwd, env: context.env } : own;
    const opening = openServing({ ...surroundings, version, log }, this.shared);
    const workspace: Workspace = { opening, sessions: new Set(), users: 0 };
    this.#open.set(key, workspace);
    opening.then(
      (serving) => {
        // A server that asks while no call runs is told what the client knows that came last.
        serving.running.rootsFrom(async () => (await [...workspace.sessions].at(-1)?.roots()) ?? { roots: [] });
        workspace.told = serving.tell((notice) => {
          for (const session of workspace.sessions) session.notice(notice);
        });
      },
      () => undefined,
    );
    return workspace;
  }

  #leave(key: string, workspace: Workspace, { running }: ServingGateway): void {
    workspace.users -= 1;
    if (workspace.users > 0) return;
    // Whoever comes back soon finds its servers running.
    const { idleMs } = running.gateway.view.settings.timeouts;
    workspace.closing = setTimeout(() => void this.#close(key, workspace), idleMs).unref();
  }

  async #close(key: string, workspace: Workspace): Promise<void> {
    clearTimeout(workspace.closing);
    if (this.#open.get(key) === workspace) this.#open.delete(key);
    workspace.told?.[Symbol.dispose]();
    const serving = await workspace.opening.catch(() => undefined);
    await serving?.[Symbol.asyncDispose]();
  }
}

/** Two clients share a chart if nothing that it is made from can differ between them. */
function keyOf(context: ClientContext | undefined): string {
  if (!context) return '';
  const { cwd, env, options } = context;
  const variables = Object.entries(env)
    .filter(([name]) => !VOLATILE.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify([cwd, variables, options]));
}

/** What a client was started with, as far as it is what it should be. */
function readOptions({ options }: ClientContext): Pick<
  DiscoverOptions,
  'config' | 'clients' | 'servers' | 'settings'
> & {
  expose?: string;
} {
  const { config, clients, servers, expose, settings } = options;
  const engine = sandboxEngine(settings);
  const isTexts = Array.isArray(clients) && clients.every((one) => typeof one === 'string');
  return {
    ...(typeof config === 'string' && { config }),
    ...(isTexts && { clients }),
    ...(typeof servers === 'object' && servers !== null && { servers: { ...servers } }),
    ...(typeof expose === 'string' && { expose }),
    ...(engine && { settings: { sandbox: { engine } } }),
  };
}

/** The one setting that a client's command line may bring. */
function sandboxEngine(settings: unknown) {
  const { sandbox } = isObject(settings) ? settings : {};
  const { engine } = isObject(sandbox) ? sandbox : {};
  return (['auto', 'off', ...ENGINE_NAMES] as const).find((known) => known === engine);
}
