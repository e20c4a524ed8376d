import { diskFiles, type Log, PortolanError, silentLog } from '../base/index.js';
import { ENVELOPE_BYTES, type StreamLimits } from '../rpc/index.js';
import { chooseSurface, ServerQuestions, type Surface, type SurfaceNotification } from '../serve/index.js';
import type { SharedResources } from './shared-resources.js';
import { skippedLog } from './skipped-entries.js';
import { endOrphans, type GatewayOptions, type RunningGateway, startGateway } from './start-gateway.js';
import { recordingFiles, watchPaths } from './watch-files.js';
import { watchRunning } from './watch-running.js';

const TOOLS_CHANGED = { method: 'notifications/tools/list_changed', params: {} };

export interface ServingOptions extends GatewayOptions {
  /** `all` servers' tools, or the name of the one server to expose. */
  readonly expose?: string;
}

/** A gateway with its surface, for any transport, until it is disposed of. */
export interface ServingGateway extends AsyncDisposable {
  readonly running: RunningGateway;
  /** The options that all client sessions share. */
  readonly session: {
    readonly surface: Surface;
    readonly questions: ServerQuestions;
    readonly version: string;
    readonly log: Log;
  };
  readonly limits: () => StreamLimits;
  /** Scans again now, instead of when a watched file changes. Rejects if the settings are invalid. */
  refresh(): Promise<void>;
  /** The error in the current settings files, for new clients; the previous settings stay in force. */
  readonly fault: () => PortolanError | undefined;
  /** Forwards notifications of servers and changes of the server list to clients, until it is disposed of. */
  tell(notice: (notice: SurfaceNotification) => void): Disposable;
}

/** Starts the gateway, serves clients, and stops all servers afterwards. */
export async function whileServing(
  options: ServingOptions,
  serve: (serving: ServingGateway) => Promise<void>,
): Promise<void> {
  await using serving = await openServing(options);
  void endOrphans(serving.running.discovery, serving.session.log);
  await serve(serving);
}

/** The options of serving. With `shared`, server processes are shared with other gateways of this process. */
export async function openServing(
  { expose, ...options }: ServingOptions,
  shared?: SharedResources,
): Promise<ServingGateway> {
  const { log = silentLog, version = '0' } = options;
  const files = recordingFiles(options.files ?? diskFiles);
  const running = await startGateway({ ...options, files }, shared);
  // In a daemon, the bridge of each client prints the skipped entries for it.
  const reportSkipped = shared ? () => undefined : skippedLog(log);
  reportSkipped(running.discovery);
  const questions = new ServerQuestions();
  const dispose = async () => {
    questions[Symbol.dispose]();
    await running[Symbol.asyncDispose]();
  };
  let fault: PortolanError | undefined;
  /** While the gateway runs, invalid settings or unreadable files change nothing; the previous state stays in force. */
  const reload = async (changed: () => void): Promise<boolean> => {
    try {
      if (await running.reload()) changed();
      reportSkipped(running.discovery);
      fault = undefined;
      return true;
    } catch (error) {
      fault = error instanceof PortolanError ? error : undefined;
      const reason = error instanceof Error ? error.message : String(error);
      log('error', 'cannot reload the configuration; the previous one stays in force', { error: reason });
      return fault !== undefined; // a fault stays until its file changes; other errors may pass, so retry
    }
  };
  const listeners = new Set<() => void>();
  const reloaded = () => reload(() => listeners.forEach((changed) => void changed()));
  let surface: Surface;
  try {
    surface = chooseSurface(running.gateway, expose);
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    running,
    session: { surface, questions, version, log },
    limits: () => {
      const { maxArgumentBytes, maxDepth } = running.gateway.view.settings.limits;
      return { maxLineBytes: maxArgumentBytes + ENVELOPE_BYTES, maxDepth };
    },
    refresh: async () => {
      await reloaded();
      if (fault) throw fault;
    },
    fault: () => fault,
    tell: (notice) => {
      const stopListening = running.listen((server, method, params) => {
        const translated = surface.translate(server, { method, params });
        if (translated) notice(translated);
      });
      const changed = () => notice(TOOLS_CHANGED);
      listeners.add(changed);
      const watch = watchPaths({ ...files, changed: reloaded, log });
      const watchOfRunning = watchRunning({ discovery: () => running.discovery, changed: reloaded, log });
      return {
        [Symbol.dispose]: () => {
          listeners.delete(changed);
          watch[Symbol.dispose]();
          watchOfRunning[Symbol.dispose]();
          stopListening();
        },
      };
    },
    [Symbol.asyncDispose]: dispose,
  };
}

/** Settles when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
