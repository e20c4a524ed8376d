import type { Duplex, Readable, Writable } from 'node:stream';
import type { BridgeSettings } from './bridge-settings.js';
import { Pipe } from './client-pipe.js';
import { DaemonConnection } from './daemon-connection.js';
import { type FindOptions, findDaemon, START_MS } from './find-daemon.js';
import { logSkipped } from './log-skipped.js';
import type { ReconnectRequest } from './pipe-options.js';
import { reconnectDelay, WAITING, type Waiting } from './reconnect-delay.js';
import { refuseClient } from './refuse-client.js';
import { NO_GATEWAY, noGateway } from './rpc-faults.js';

/** A gateway in this very process, at the other end of a stream. */
export interface OwnGateway {
  readonly stream: Duplex;
  /** Settles when it has stopped all its servers. */
  readonly over: Promise<void>;
}

export interface RunPipeOptions extends FindOptions {
  /** The client's two streams, opened only when somebody is there to listen. */
  readonly ends: () => { readonly input: Readable; readonly output: Writable };
  readonly reconnect: BridgeSettings['reconnect'];
  /** How long running requests may continue after `ending`. */
  readonly shutdownMs: number;
  /** Serves the client where there is no daemon any more; absent where it wants no other. */
  readonly alone?: (hasLost: boolean) => Promise<OwnGateway>;
  /** Called if no daemon serves the client and it may not be served without one. */
  readonly failed?: () => void;
  /** Aborted when the process is told to end. */
  readonly ending: AbortSignal;
  /** As long as a daemon is waited for at first. */
  readonly waitMs?: number;
  readonly waiting?: Waiting;
}

/** As long as the client may take to read its last answers when we are told to end. */
const LAST_WORDS_MS = 2_000;

/** Connects a client to the daemon until it leaves. False where no daemon is to be had and the program can serve it: nothing of the client was read yet. */
export async function runPipe(options: RunPipeOptions): Promise<boolean> {
  const { mode, ends, ending, log, context, alone } = options;
  const waitMs = options.waitMs ?? (mode === 'auto' ? START_MS : 0);
  let missing = NO_GATEWAY;
  const found = await findDaemon(options, waitMs).catch((error: Error & { readonly hint?: string }) => {
    log(alone ? 'warn' : 'error', 'no daemon serves this client', { error: error.message, hint: error.hint });
    missing = noGateway(error.message, error.hint);
    return undefined;
  });
  if (ending.aborted) {
    found?.line.stream.destroy();
    return true;
  }
  if (!found && alone) return false;
  logSkipped(found?.skipped, log);
  const { input, output } = ends();
  if (!found) {
    options.failed?.();
    await refuseClient({ input, output, fault: missing, ending });
    input.destroy();
    return true;
  }
  let own: OwnGateway | undefined;
  const pipe = new Pipe({
    ...{ input, output, log, hasOwnTools: context.options.expose === undefined },
    again: async (search) => {
      const line = await again(options, found.id, search);
      if (line || !alone || search.isStopped()) return line;
      log('warn', 'no daemon is to be had: this client is served without one from now on');
      own = await alone(search.hasLost);
      return new DaemonConnection(own.stream);
    },
  });
  ending.addEventListener('abort', () => pipe.drain(options.shutdownMs), { once: true });
  await pipe.run(found.line);
  await own?.over;
  input.destroy();
  // What a client does not take would keep the process for ever.
  if (ending.aborted) setTimeout(() => output.destroy(), LAST_WORDS_MS).unref();
  return true;
}

/** At once, then after delays that grow. */
async function again(
  options: RunPipeOptions,
  id: string | undefined,
  { isStopped, isLate, hasLost }: ReconnectRequest,
): Promise<DaemonConnection | undefined> {
  // Whoever is told to end by now still has answers to bring: how long for, says the pipe.
  const { ending: _, ...finding } = options;
  const { random, wait } = options.waiting ?? WAITING;
  const { enabled, maxAttempts, initialDelayMs } = options.reconnect;
  const most = enabled && !isLate ? maxAttempts : 0;
  for (let attempt = 0; (enabled || isLate) && attempt <= most && !isStopped(); attempt += 1) {
    if (attempt > 0) await wait(reconnectDelay(attempt, initialDelayMs, random));
    try {
      // Who starts none looks once at each attempt: it is there or it is not.
      const waitMs = options.mode === 'auto' ? START_MS : 0;
      return (await findDaemon(finding, waitMs, { ...(id !== undefined && { id }), hasLost })).line;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      options.log('warn', 'no daemon yet', { attempt, error: message });
    }
  }
  return undefined;
}
