import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { silentLog } from '../../src/base/index.js';
import { type EngineName, openSandbox, type Probe, type Sandbox } from '../../src/sandbox/index.js';
import { has, needs, type ProgramName } from '../support/programs.js';

/** A throw-away folder for snapshots, for one test file. */
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
/** Texts that our own code could also cause: then bubblewrap itself is asked whether it may make namespaces. */
const FORBIDDEN = /namespace|uid map|not permitted/i;

/** One suite for each of these engines; skipped where its programs are missing. An engine that is here and fails its probe fails the tests. */
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
  const isOurFault = FORBIDDEN.test(probe.problem) && mayMakeNamespaces();
  if (UNUSABLE.test(probe.problem) && !isOurFault) return probe.problem;
  throw new Error(`${probe.engine} is here and does not work: ${probe.problem}`);
}

function mayMakeNamespaces(): boolean {
  return spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']).status === 0;
}
