import { ErrorCode, isObject, type Log, PortolanError, sha256 } from '../base/index.js';
import type { DiscoverOptions } from '../discovery/index.js';
import { ENGINE_NAMES } from '../sandbox/index.js';
import type { ClientContext, ConnectHandler } from '../serve/index.js';
import { CommandSurface } from './command-surface.js';
import { openServing, type ServingGateway } from './gateway-serving.js';
import { openShared, type SharedResources } from './shared-resources.js';
import { skippedEntries } from './skipped-entries.js';

type Session = Parameters<ConnectHandler['joined']>[0];

export interface WorkspacesOptions {
  /** The daemon's own environment, for clients that send none. */
  readonly own: DiscoverOptions;
  readonly home: string;
  readonly version: string;
  readonly log: Log;
}

/** The maximum number of workspaces; a client beyond it runs its own gateway. */
const MAX_WORKSPACES = 256;
/** Variables that identify a window or terminal and do not affect servers, so they do not separate workspaces. */
const VOLATILE = new Set([
  ...['_', 'SHLVL', 'PWD', 'OLDPWD', 'COLUMNS', 'LINES', 'TERM', 'COLORTERM', 'WINDOWID', 'TERM_SESSION_ID'],
  ...['MCP_CLIENT_ID', 'MCP_BRIDGE_SOCKET', 'PORTOLAN_DAEMON', 'XDG_SESSION_ID', 'SSH_TTY', 'TMUX_PANE'],
]);

interface Workspace {
  readonly opening: Promise<ServingGateway>;
  readonly sessions: Set<Session>;
  users: number;
  subscription?: Disposable;
  closing?: NodeJS.Timeout;
}

/** One gateway per working directory and environment of clients, over the same server processes. */
export class Workspaces implements AsyncDisposable {
  readonly shared: SharedResources;
  readonly #options: WorkspacesOptions;
  readonly #open = new Map<string, Workspace>();

  constructor(options: WorkspacesOptions) {
    this.#options = options;
    this.shared = openShared(options.log);
  }

  /** The workspace of a client; rejects if its settings are invalid or there are too many workspaces. */
  async enter(context: ClientContext | undefined): Promise<ConnectHandler & { readonly serving: ServingGateway }> {
    if (context && context.home !== this.#options.home)
      throw new PortolanError(ErrorCode.ConnectionError, 'the daemon belongs to another home directory', {
        hint: 'set MCP_BRIDGE_SOCKET to another path, or use --daemon never',
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
      if (this.#open.get(key) === workspace) this.#open.delete(key); // so that a later connection tries again
      throw error;
    }
    // A client without a context only talks to the daemon itself, for example to stop it.
    if (context && serving.fault()) {
      try {
        await serving.refresh(); // the file may be correct again
      } catch (error) {
        this.#leave(key, workspace, serving);
        throw error; // as at the start of a gateway
      }
    }
    let leave: () => void = () => undefined;
    return {
      serving,
      session: { ...serving.session, surface: new CommandSurface(serving) },
      limits: serving.limits,
      about: {
        skipped: skippedEntries(serving.running.discovery),
        readOnlyTools: serving.session.surface.readOnlyTools ?? [],
        answersCommands: true,
      },
      routingPolicy: () => {
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
      throw new PortolanError(ErrorCode.LimitExceeded, `the daemon already has ${MAX_WORKSPACES} workspaces`, {
        hint: 'close clients that work in other directories, or start this one with --daemon never',
      });
    const { own, version, log } = this.#options;
    const scanOptions = context ? { ...own, ...readOptions(context), cwd: context.cwd, env: context.env } : own;
    const opening = openServing({ ...scanOptions, version, log }, this.shared);
    const workspace: Workspace = { opening, sessions: new Set(), users: 0 };
    this.#open.set(key, workspace);
    opening.then(
      (serving) => {
        // The most recently connected client answers a server's question outside a call.
        serving.running.rootsFrom(async () => (await [...workspace.sessions].at(-1)?.roots()) ?? { roots: [] });
        workspace.subscription = serving.tell((notice) => {
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
    // Delayed, so that a client that reconnects soon finds its servers running.
    const { idleMs } = running.gateway.view.settings.timeouts;
    const close = () => {
      // Its client may have given up, but the next call of the client joins the start.
      if (this.shared.pool.states().starting > 0) workspace.closing = setTimeout(close, idleMs).unref();
      else void this.#close(key, workspace);
    };
    workspace.closing = setTimeout(close, idleMs).unref();
  }

  async #close(key: string, workspace: Workspace): Promise<void> {
    clearTimeout(workspace.closing);
    if (this.#open.get(key) === workspace) this.#open.delete(key);
    workspace.subscription?.[Symbol.dispose]();
    const serving = await workspace.opening.catch(() => undefined);
    await serving?.[Symbol.asyncDispose]();
  }
}

/** The key of a workspace: clients with the same key would get the same scan. */
function keyOf(context: ClientContext | undefined): string {
  if (!context) return '';
  const { cwd, env, options } = context;
  const variables = Object.entries(env)
    .filter(([name]) => !VOLATILE.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify([cwd, variables, options]));
}

/** The start options of a client, as far as they are valid. */
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

/** The one setting that a client may pass on its command line. */
function sandboxEngine(settings: unknown) {
  const { sandbox } = isObject(settings) ? settings : {};
  const { engine } = isObject(sandbox) ? sandbox : {};
  return (['auto', 'off', ...ENGINE_NAMES] as const).find((known) => known === engine);
}
