import { join } from 'node:path';
import { diskFiles, isObject, sha256, writeFile } from '../../base/index.js';
import type { EngineName } from '../engine.js';

/** After that it is tried again: somebody may have allowed namespaces or mended Pyodide. */
const BELIEVED_MS = 24 * 60 * 60 * 1000;

/** What was found when the engines that are installed were last probed, for whoever must answer without a probe. */
export interface ProbeResult {
  readonly wanted: string;
  readonly installed: readonly EngineName[];
}

/** Whether none of these engines worked the last time, not long ago. Anything that cannot be read is no verdict. */
export function knownToFail(folder: string, verdict: ProbeResult, now = Date.now()): boolean {
  const reading = diskFiles.read(pathOf(folder, verdict));
  if (reading.kind !== 'read') return false;
  try {
    const said: unknown = JSON.parse(reading.text);
    return (
      isObject(said) && said.works === false && typeof said.at === 'number' && Math.abs(now - said.at) < BELIEVED_MS
    );
  } catch {
    return false;
  }
}

/** Kept beside the snapshots; a disk that fails costs the next start a tool that does not work. */
export async function keepVerdict(folder: string, verdict: ProbeResult, works: boolean): Promise<void> {
  const path = pathOf(folder, verdict);
  if (works && diskFiles.read(path).kind === 'absent') return; // what is not known to fail is believed to work
  await writeFile(path, `${JSON.stringify({ works, at: Date.now() })}\n`).catch(() => undefined);
}

function pathOf(folder: string, { wanted, installed }: ProbeResult): string {
  return join(folder, `verdict-${sha256(JSON.stringify([wanted, installed])).slice(0, 16)}.json`);
}
