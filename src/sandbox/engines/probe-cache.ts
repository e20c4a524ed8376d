import { join } from 'node:path';
import { diskFiles, isObject, sha256, writeFile } from '../../base/index.js';
import type { EngineName } from '../engine.js';

/** A failed probe is repeated after this time, because the system may have been repaired. */
const RESULT_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** The result of the last probe of the installed engines, for callers that must not wait for a probe. */
export interface ProbeResult {
  readonly wanted: string;
  readonly installed: readonly EngineName[];
}

/** Whether a recent probe found no working engine. An unreadable file counts as no result. */
export function hasFailedProbe(folder: string, verdict: ProbeResult, now = Date.now()): boolean {
  const reading = diskFiles.read(pathOf(folder, verdict));
  if (reading.kind !== 'read') return false;
  try {
    const result: unknown = JSON.parse(reading.text);
    return (
      isObject(result) &&
      result.works === false &&
      typeof result.at === 'number' &&
      Math.abs(now - result.at) < RESULT_LIFETIME_MS
    );
  } catch {
    return false;
  }
}

/** Stores the result beside the snapshots. If that fails, the next start may list a tool that does not work. */
export async function storeProbeResult(folder: string, verdict: ProbeResult, works: boolean): Promise<void> {
  const path = pathOf(folder, verdict);
  if (works && diskFiles.read(path).kind === 'absent') return; // an engine without a stored failure is assumed to work
  await writeFile(path, `${JSON.stringify({ works, at: Date.now() })}\n`).catch(() => undefined);
}

function pathOf(folder: string, { wanted, installed }: ProbeResult): string {
  return join(folder, `verdict-${sha256(JSON.stringify([wanted, installed])).slice(0, 16)}.json`);
}
