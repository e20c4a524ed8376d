import { ErrorCode, PortolanError, shellWord } from '../../base/index.js';
import type { Backoff } from './backoff.js';

/** A call waits at most this long for the next start; otherwise it fails with the remaining time. */
const MAX_START_WAIT_MS = 2_000;

interface FailingServer {
  readonly name: string;
  readonly lastError: string | undefined;
}

/** Delays or refuses the start of a failing server, without affecting other servers. */
export async function untilAllowed(
  backoff: Backoff,
  now: number,
  { name, lastError = 'it exited each time' }: FailingServer,
): Promise<void> {
  const verdict = backoff.ask(now);
  if (verdict.kind === 'start') return;
  if (verdict.kind === 'wait' && verdict.ms <= MAX_START_WAIT_MS) {
    await new Promise((resolve) => setTimeout(resolve, verdict.ms));
    return;
  }
  const seconds = Math.max(1, Math.ceil(verdict.ms / 1000));
  const why =
    verdict.kind === 'refuse' && verdict.because === 'budget'
      ? 'it was started too often in the last minutes'
      : `it failed ${backoff.failures} times in a row`;
  throw new PortolanError(ErrorCode.ConnectionError, `${name}: ${why}: ${lastError}`, {
    hint: `the next try is in ${seconds} s; see its output with \`portolan logs ${shellWord(name)}\``,
  });
}
