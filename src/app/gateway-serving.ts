import { diskFiles, type Log, PortolanError, silentLog } from '../base/index.js';
import type { StreamLimits } from '../rpc/index.js';
import { chooseSurface, ServerQuestions, type Surface, type SurfaceNotification } from '../serve/index.js';
import type { SharedResources } from './shared-resources.js';
import { skippedLog } from './skipped-entries.js';
import { endStrays, type GatewayOptions, type RunningGateway, startGateway } from './start-gateway.js';
import { recordingFiles, watchPaths } from './watch-files.js';
import { watchRunning } from './watch-running.js';

/** What a client may say in one message beside the arguments of a call. */
const ENVELOPE_BYTES = 64 * 1024;
const TOOLS_CHANGED = { method: 'notifications/tools/list_changed', params: {} };

export interface ServingOptions extends GatewayOptions {
  /** `all`, or the name of the one server that clients are to see as it is. */
  readonly expose?: string;
}

/** A gateway with a face, for whatever road clients come by, until it is disposed of. */
export interface ServingGateway extends AsyncDisposable {
  readonly running: RunningGateway;
  /** What every client's session is made of. */
  readonly session: {
    readonly face: Surface;
    readonly questions: ServerQuestions;
    readonly version: string;
    readonly log: Log;
  };
  readonly limits: () => StreamLimits;
  /** What is wrong with the files as they are now, while what held before holds on; whoever comes anew is told. */
  readonly fault: () => PortolanError | undefined;
  /** Tells clients what servers say unasked and when the chart changes, until it is disposed of. */
  tell(notice: (notice: SurfaceNotification) => void): Disposable;
}

/** Starts the gateway, lets clients be served, and stops every server when that is over. */
export async function whileServing(
  options: ServingOptions,
  serve: (serving: ServingGateway) => Promise<void>,
): Promise<void> {
  await using serving = await openServing(options);
  void endStrays(serving.running.discovery, serving.session.log);
  await serve(serving);
}

/** What serving takes. Processes of servers are `shared` with other gateways of this process, or its own. */
export async function openServing(
  { expose, ...options }: ServingOptions,
  shared?: SharedResources,
): Promise<ServingGateway> {
  const { log = silentLog, version = '0' } = options;
  const files = recordingFiles(options.files ?? diskFiles);
  const running = await startGateway({ ...options, files }, shared);
  // A daemon's clients print the entries that were skipped for them.
  const reportSkipped = shared ? () => undefined : skippedLog(log);
  reportSkipped(running.discovery);
  const questions = new ServerQuestions();
  const dispose = async () => {
    questions[Symbol.dispose]();
    await running[Symbol.asyncDispose]();
  };
  let fault: PortolanError | undefined;
  /** Settings that are wrong while we run change nothing, and neither does anything else that keeps us from reading them. */
  const reload = async (changed: () => void): Promise<boolean> => {
    try {
      if (await running.reload()) changed();
      reportSkipped(running.discovery);
      fault = undefined;
      return true;
    } catch (error) {
      fault = error instanceof PortolanError ? error : undefined;
      const said = error instanceof Error ? error.message : String(error);
      log('error', 'the files could not be read again; what held before holds on', { error: said });
      return fault !== undefined; // what is wrong stays so until somebody writes it anew; anything else may pass
    }
  };
  let face: Surface;
  try {
    face = chooseSurface(running.gateway, expose);
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    running,
    session: { face, questions, version, log },
    limits: () => {
      const { maxArgumentBytes, maxDepth } = running.gateway.view.settings.limits;
      return { maxLineBytes: maxArgumentBytes + ENVELOPE_BYTES, maxDepth };
    },
    fault: () => fault,
    tell: (notice) => {
      const stopListening = running.listen((server, method, params) => {
        const translated = face.translate(server, { method, params });
        if (translated) notice(translated);
      });
      const changed = () => reload(() => notice(TOOLS_CHANGED));
      const watch = watchPaths({ ...files, changed, log });
      const watchOfRunning = watchRunning({ discovery: () => running.discovery, changed, log });
      return {
        [Symbol.dispose]: () => {
          watch[Symbol.dispose]();
          watchOfRunning[Symbol.dispose]();
          stopListening();
        },
      };
    },
    [Symbol.asyncDispose]: dispose,
  };
}

/** Settles when the signal is given. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
