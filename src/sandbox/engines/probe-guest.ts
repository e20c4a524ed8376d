import type { Log } from '../../base/index.js';
import { DEFAULT_LIMITS, type Engine, type Limits } from '../engine.js';
import { Guest } from '../run/guest.js';

export type Probed =
  | { readonly ok: true; readonly python: string; readonly remarks: readonly string[] }
  | { readonly ok: false; readonly problem: string };

const PROBE_LIMITS: Limits = { ...DEFAULT_LIMITS, timeoutMs: 20_000 };
const LISTS = 'found, remarks = [], []\n';
const RESULT = '\n[found, __import__("sys").version.split()[0], remarks]\n';

/**
 * Starts a guest and runs `code`, which tries forbidden operations. It appends those that succeeded to `found`, and other
 * facts about the isolation to `remarks`.
 */
export async function probeGuest(engine: Engine, code: string, log: Log): Promise<Probed> {
  let guest: Guest | undefined;
  try {
    guest = new Guest(await engine.start(PROBE_LIMITS), engine.startMs, log);
    await guest.ready;
    const none = () => Promise.reject(new Error('a probe must not call tools'));
    const job = { code: LISTS + code + RESULT, servers: [] };
    const outcome = await guest.run(job, none, PROBE_LIMITS, new AbortController().signal);
    if (outcome.kind === 'value') return judged(outcome.value?.json);
    if (outcome.kind === 'stopped')
      return { ok: false, problem: `the probe was ${outcome.message} ${outcome.output.stderr}`.trim() };
    return { ok: false, problem: `the probe failed: ${outcome.error.type}: ${outcome.error.message}` };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  } finally {
    await guest?.end();
  }
}

function judged(value: unknown): Probed {
  const [found, python, remarks]: unknown[] = Array.isArray(value) ? value : [];
  if (!Array.isArray(found) || !Array.isArray(remarks) || typeof python !== 'string')
    return { ok: false, problem: 'the probe returned no result' };
  return found.length === 0
    ? { ok: true, python, remarks: remarks.map(String) }
    : { ok: false, problem: found.map(String).join(', ') };
}
