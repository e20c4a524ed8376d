import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/base/index.js';
import { ENGINE_NAMES, openSandbox, type Probe, type Sandbox } from '../../src/sandbox/index.js';

export interface EngineHere {
  readonly name: string;
  /** Undefined if it runs here, else why not: said in the title of what is skipped. */
  readonly skipped: string | undefined;
}

/** A throw-away folder for snapshots, for one test file. */
export const folder = mkdtempSync(join(tmpdir(), 'portolan-sandbox-'));
export const tidy = (): void => rmSync(folder, { recursive: true, force: true });

export const open = (engine: string): Sandbox => openSandbox({ engine, folder, log: silentLog });

/** Not installed, not running, or a system that does not let an ordinary user make namespaces. All else is a fault of ours. */
const ABSENT = /not installed|does not answer|no python3|on Linux alone|is not there|namespace|uid map|not permitted/i;

/** Whose words could also be ours: then bubblewrap itself is asked whether it may do what it is for. */
const FORBIDDEN = /namespace|uid map|not permitted/i;

/** These engines with whether each can be tested here. An engine that is here and fails its probe fails the tests. */
export async function enginesHere(names: readonly string[] = ENGINE_NAMES): Promise<readonly EngineHere[]> {
  await using sandbox = open('auto');
  const here: EngineHere[] = [];
  for (const name of ENGINE_NAMES.filter((one) => names.includes(one)))
    here.push({ name, skipped: reason(await sandbox.probe(name)) });
  return here;
}

function reason(probe: Probe): string | undefined {
  if (probe.ok) return undefined;
  // Pyodide is installed with the tests: where it is not, something is wrong with them.
  const isOurFault = probe.engine === 'pyodide' || (FORBIDDEN.test(probe.problem) && mayMakeNamespaces());
  if (ABSENT.test(probe.problem) && !isOurFault) {
    const skipped = `${probe.engine} is skipped: ${probe.problem}`;
    process.stderr.write(`${skipped}\n`); // the title of what did not run is shown by few reporters
    return skipped;
  }
  throw new Error(`${probe.engine} is here and does not work: ${probe.problem}`);
}

function mayMakeNamespaces(): boolean {
  return spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']).status === 0;
}
