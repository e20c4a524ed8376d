import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/base/index.js';
import { openSandbox, type Probe, type Sandbox } from '../../src/sandbox/index.js';

export interface EngineHere {
  readonly name: string;
  /** Undefined if it runs here, else why not: said in the title of what is skipped. */
  readonly skipped: string | undefined;
}

/** A throw-away folder for snapshots, for one test file. */
export const folder = mkdtempSync(join(tmpdir(), 'portolan-sandbox-'));
export const tidy = (): void => rmSync(folder, { recursive: true, force: true });

export const open = (engine: string): Sandbox => openSandbox({ engine, folder, log: silentLog });

/** Every engine with whether it can be tested here. */
export async function enginesHere(): Promise<readonly EngineHere[]> {
  await using sandbox = open('auto');
  return (await sandbox.probes()).map((probe: Probe) => ({
    name: probe.engine,
    skipped: probe.ok ? undefined : `${probe.engine} is skipped: ${probe.problem}`,
  }));
}
