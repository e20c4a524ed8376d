import type { Readable, Writable } from 'node:stream';
import { diskFiles, type Log, PortolanError, silentLog } from '../base/index.js';
import { faceOf, Questions, serveStdio } from '../serve/index.js';
import { endStrays, type GatewayOptions, startGateway } from './start-gateway.js';
import { recordingFiles, watchPaths } from './watch.js';

/** As long as running calls may take when we are told to end. */
const DRAIN_MS = 10_000;
/** What a client may say in one line beside the arguments of a call. */
const ENVELOPE_BYTES = 64 * 1024;
const TOOLS_CHANGED = { method: 'notifications/tools/list_changed', params: {} };

export interface ServeOptions extends GatewayOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** `all`, or the name of the one server that the client is to see as it is. */
  readonly expose?: string;
  /** Aborted when the process is told to end. */
  readonly ending: AbortSignal;
}

/** Serves one client over stdio until it leaves or we are told to end; then lets calls finish and stops every server. */
export async function serveClient({ input, output, ending, expose, ...options }: ServeOptions): Promise<void> {
  const log = options.log ?? silentLog;
  const files = recordingFiles(options.files ?? diskFiles);
  await using running = await startGateway({ ...options, files });
  const face = faceOf(running.gateway, expose);
  using questions = new Questions();
  const { version = '0' } = options;
  const limits = () => {
    const { maxArgumentBytes, maxDepth } = running.gateway.view.settings.limits;
    return { maxLineBytes: maxArgumentBytes + ENVELOPE_BYTES, maxDepth };
  };
  const session = serveStdio({ face, questions, version, log, input, output, limits, principal: 'stdio' });
  running.rootsFrom(() => session.roots());
  const stopListening = running.listen((server, method, params) => {
    const notice = face.translate(server, { method, params });
    if (notice) session.notice(notice);
  });
  using _watch = watchPaths({
    touched: files.touched,
    changed: async () => {
      if (await reloaded(running.reload, log)) session.notice(TOOLS_CHANGED);
    },
    log,
  });
  void endStrays(running.discovery, log);
  await Promise.race([session.ended, aborted(ending)]);
  await session.drain(DRAIN_MS);
  stopListening();
  input.destroy();
}

/** Settings that are wrong while we run change nothing: what held before holds on. */
async function reloaded(reload: () => Promise<boolean>, log: Log): Promise<boolean> {
  try {
    return await reload();
  } catch (error) {
    if (!(error instanceof PortolanError)) throw error;
    log('error', 'the files could not be read again; what held before holds on', { error: error.message });
    return false;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
