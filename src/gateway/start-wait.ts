import { ErrorCode, PortolanError, unlessAborted } from '../base/index.js';
import type { Conversation } from '../model/index.js';
import type { AdmittedServer } from '../policy/index.js';
import type { GatewayDependencies } from './gateway-dependencies.js';

const LOOK_MS = 250;
const PROGRESS_MS = 2_000;

type StartWaitDependencies = Pick<GatewayDependencies, 'pool' | 'view' | 'isDownloaded'>;

/**
 * Waits for something that needs a running server, and reports the start to the client. If the start takes longer than
 * `timeouts.startWaitMs`, rejects with an error that says so; the start continues, and the next call joins it. `discard`
 * gets a value that comes too late.
 */
export async function untilStarted<T>(
  promise: Promise<T>,
  server: AdmittedServer,
  conversation: Partial<Conversation> | undefined,
  { pool, view, isDownloaded }: StartWaitDependencies,
  discard: (late: T) => void = () => undefined,
): Promise<T> {
  const began = performance.now();
  let reportedAt = began;
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    const look = () => {
      const { startingForMs } = pool.status(server);
      if (startingForMs === undefined) return;
      const now = performance.now();
      // The start may have begun before this call, or after a question to the user.
      const waitedMs = Math.min(now - began, startingForMs);
      const isOver = waitedMs >= view().settings.timeouts.startWaitMs && conversation?.waitsForStart !== true;
      if (isOver) reject(stillStarting(server, startingForMs, isDownloaded(server)));
      else if (now - reportedAt >= PROGRESS_MS) {
        reportedAt = now;
        const verb = isDownloaded(server) ? 'installing' : 'starting';
        conversation?.progress?.({
          // Always below 1, because the progress of the server itself follows and must be higher.
          progress: 1 - 1_000 / (1_000 + now - began),
          message: `${verb} ${server.name}, ${secondsOf(startingForMs)} s`,
        });
      }
    };
    timer = setInterval(look, LOOK_MS).unref();
  });
  let isLeft = false;
  promise.then(
    (value) => {
      if (isLeft) discard(value);
    },
    () => undefined, // reported below
  );
  try {
    return await unlessAborted(Promise.race([promise, tooLong]), conversation?.signal);
  } catch (error) {
    isLeft = true;
    throw error;
  } finally {
    clearInterval(timer);
  }
}

function stillStarting({ name }: AdmittedServer, startingForMs: number, isDownload: boolean): PortolanError {
  const doing = isDownload ? 'being installed' : 'starting';
  return new PortolanError(ErrorCode.ConnectionError, `${name} is still ${doing}, ${secondsOf(startingForMs)} s`, {
    hint: 'call again: the start continues, and the next call joins it',
  });
}

function secondsOf(ms: number): number {
  return Math.round(ms / 1_000);
}
