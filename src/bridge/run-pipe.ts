import type { Duplex, Readable, Writable } from 'node:stream';
import type { BridgeSettings } from './bridge-settings.js';
import { Pipe } from './client-pipe.js';
import { DaemonConnection } from './daemon-connection.js';
import { type FindOptions, findDaemon, START_MS } from './find-daemon.js';
import { logSkipped } from './log-skipped.js';
import type { ReconnectRequest } from './pipe-options.js';
import { type ReconnectWait, reconnectDelay, WAITING } from './reconnect-delay.js';
import { refuseClient } from './refuse-client.js';
import { NO_GATEWAY, noGateway } from './rpc-faults.js';

/** A gateway in this process, reached over an in-memory stream. */
export interface OwnGateway {
  readonly stream: Duplex;
  /** Settles when the gateway has stopped all its servers. */
  readonly over: Promise<void>;
}

export interface RunPipeOptions extends FindOptions {
  /** Opens the client's streams. Called only when a reader exists, so that no input is consumed before. */
  readonly openStreams: () => { readonly input: Readable; readonly output: Writable };
  readonly reconnect: BridgeSettings['reconnect'];
  /** How long running requests may continue after `ending`. */
  readonly shutdownMs: number;
  /** Starts a gateway in this process if no daemon can be reached. Absent if the client requires a daemon. */
  readonly openOwnGateway?: (hasLost: boolean) => Promise<OwnGateway>;
  /** Called if no daemon serves the client and it requires one. */
  readonly failed?: () => void;
  /** Aborted by the shutdown signal. */
  readonly ending: AbortSignal;
  /** The limit of the first search for a daemon. */
  readonly waitMs?: number;
  readonly waiting?: ReconnectWait;
}

/** The time the client has to read its last responses after a shutdown signal. */
const FINAL_READ_MS = 2_000;

/**
 * Connects a client to the daemon until it disconnects. Returns false if there is no daemon and the caller can serve
 * the client itself; then no input was read.
 */
export async function runPipe(options: RunPipeOptions): Promise<boolean> {
  const { mode, openStreams, ending, log, openOwnGateway } = options;
  const waitMs = options.waitMs ?? (mode === 'auto' ? START_MS : 0);
  let missing = NO_GATEWAY;
  const found = await findDaemon(options, waitMs).catch((error: Error & { readonly hint?: string }) => {
    log(openOwnGateway ? 'warn' : 'error', 'no daemon serves this client', { error: error.message, hint: error.hint });
    missing = noGateway(error.message, error.hint);
    return undefined;
  });
  if (ending.aborted) {
    found?.line.stream.destroy();
    return true;
  }
  if (!found && openOwnGateway) return false;
  logSkipped(found?.skipped, log);
  const { input, output } = openStreams();
  if (!found) {
    options.failed?.();
    await refuseClient({ input, output, fault: missing, ending });
    input.destroy();
    return true;
  }
  let own: OwnGateway | undefined;
  const pipe = new Pipe({
    ...{ input, output, log },
    again: async (search) => {
      const line = await again(options, found.id, search);
      if (line || !openOwnGateway || search.isStopped()) return line;
      log('warn', 'no daemon can be reached; this process now serves the client itself');
      own = await openOwnGateway(search.hasLost);
      return new DaemonConnection(own.stream);
    },
  });
  ending.addEventListener('abort', () => pipe.drain(options.shutdownMs), { once: true });
  await pipe.run(found.line);
  await own?.over;
  input.destroy();
  // Output that the client never reads would keep the process alive.
  if (ending.aborted) setTimeout(() => output.destroy(), FINAL_READ_MS).unref();
  return true;
}

/** Searches for a daemon at once and then after growing delays. */
async function again(
  options: RunPipeOptions,
  id: string | undefined,
  { isStopped, isLate, hasLost }: ReconnectRequest,
): Promise<DaemonConnection | undefined> {
  // A shutdown signal must not stop this search, because pending requests still need a response. `Pipe.drain` limits
  // it.
  const { ending: _, ...finding } = options;
  const { random, wait } = options.waiting ?? WAITING;
  const { enabled, maxAttempts, initialDelayMs } = options.reconnect;
  const most = enabled && !isLate ? maxAttempts : 0;
  for (let attempt = 0; (enabled || isLate) && attempt <= most && !isStopped(); attempt += 1) {
    if (attempt > 0) await wait(reconnectDelay(attempt, initialDelayMs, random));
    try {
      // Without `auto` this process does not start a daemon, so there is nothing to wait for.
      const waitMs = options.mode === 'auto' ? START_MS : 0;
      return (await findDaemon(finding, waitMs, { ...(id !== undefined && { id }), hasLost })).line;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      options.log('warn', 'no daemon found', { attempt, error: message });
    }
  }
  return undefined;
}
