import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { silentLog } from '../../src/base/index.js';
import { type EngineName, openSandbox, type Probe, type Sandbox } from '../../src/sandbox/index.js';
import { has, needs, type ProgramName } from '../support/programs.js';

/** A temporary directory for the snapshots of one test file. */
export const folder = mkdtempSync(join(tmpdir(), 'portolan-sandbox-'));
export const tidy = (): void => rmSync(folder, { recursive: true, force: true });

export const open = (engine: string): Sandbox => openSandbox({ engine, folder, log: silentLog });

const PROGRAMS_OF: Readonly<Record<EngineName, readonly ProgramName[]>> = {
  bwrap: ['bubblewrap', 'python3'],
  deno: ['deno'],
  pyodide: [],
  podman: ['podman'],
  docker: ['docker'],
};

/** The engine is installed but not running, or the system denies namespaces. Any other problem is a defect in Portolan. */
const UNUSABLE = /does not respond|only on Linux|namespace|uid map|not permitted/i;
/** Problems that a defect in Portolan could also cause. Then bubblewrap itself shows whether namespaces are allowed. */
const FORBIDDEN = /namespace|uid map|not permitted/i;

/** Runs a suite in each engine. It is skipped if a program is missing, and fails if an installed engine fails its probe. */
export async function describeEngines(
  engines: readonly EngineName[],
  title: (engine: string) => string,
  suite: (engine: string) => void,
): Promise<void> {
  await using sandbox = open('auto');
  for (const engine of engines) {
    const programs = PROGRAMS_OF[engine];
    const problem = programs.every(has) ? problemOf(await sandbox.probe(engine)) : undefined;
    if (problem === undefined) describe(title(engine), needs(...programs), () => suite(engine));
    else it.skip(`${title(engine)} (skipped: ${problem})`);
  }
}

function problemOf(probe: Probe): string | undefined {
  if (probe.ok) return undefined;
  const isDefect = FORBIDDEN.test(probe.problem) && mayMakeNamespaces();
  if (UNUSABLE.test(probe.problem) && !isDefect) return probe.problem;
  throw new Error(`${probe.engine} is installed and does not work: ${probe.problem}`);
}

function mayMakeNamespaces(): boolean {
  return spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']).status === 0;
}
