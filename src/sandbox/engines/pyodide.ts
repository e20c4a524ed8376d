import { ErrorCode, type Log, PortolanError } from '../../base/index.js';
import type { Engine, EngineName, GuestProcess, Limits, Probe } from '../engine.js';
import { cpythonSource } from './cpython.js';
import { probeGuest } from './probe-guest.js';
import { findPyodide, type PyodidePackage } from './pyodide-package.js';
import { SNAPSHOT_IMPORTS, snapshotFile } from './pyodide-snapshot.js';
import { type GuestCommand, spawnGuest } from './spawn-guest.js';

const START_MS = 90_000;
/** The interpreter itself, before the first line of submitted code. */
const OWN_MEMORY_BYTES = 64 * 1024 * 1024;

/** What a runner is told: where Pyodide is, and its limits. */
export interface RunnerPlan {
  readonly folder: string;
  readonly snapshot?: string;
  readonly memoryBytes: number;
  readonly fileBytes: number;
  /** Descriptors of the pipes; 0 and 1 if nothing is said. */
  readonly input?: number;
  readonly output?: number;
  /** Python to run before a snapshot is written to stdout, instead of the guest. */
  readonly make?: string;
}

/** One JavaScript runtime in which Pyodide can be started. */
export interface PyodideHost {
  readonly name: Extract<EngineName, 'pyodide' | 'deno'>;
  readonly guarantees: readonly string[];
  /** Undefined if it can be used, else what is wrong. */
  check(): Promise<{ readonly version: string } | { readonly problem: string; readonly hint: string }>;
  command(plan: RunnerPlan): Promise<Omit<GuestCommand, 'first'>>;
}

/** CPython compiled to WebAssembly, in a process of its own. The host says in which. */
export function pyodideEngine(host: PyodideHost, ownFolder: string, log: Log): Engine {
  let snapshot: Promise<string | undefined> | undefined;
  const snapshotOf = (found: PyodidePackage, version: string) => {
    snapshot ??= makeSnapshot(host, found, version, ownFolder, log);
    return snapshot;
  };
  const start = async ({ memoryBytes, folderBytes }: Pick<Limits, 'memoryBytes' | 'folderBytes'>) => {
    const [found, checked] = [findPyodide(ownFolder), await host.check()];
    if (!found || 'problem' in checked) throw new PortolanError(ErrorCode.SandboxUnavailable, 'Pyodide is gone');
    const file = await snapshotOf(found, checked.version);
    const plan: RunnerPlan = {
      folder: found.folder,
      // With every link followed: that is the path which permissions are given for.
      ...(file !== undefined && { snapshot: process.getBuiltinModule('node:fs').realpathSync(file) }),
      memoryBytes: memoryBytes + OWN_MEMORY_BYTES,
      fileBytes: folderBytes,
    };
    return startGuest(host, plan);
  };
  const engine: Engine = {
    name: host.name,
    // Each takes some 200 MB.
    spares: 1,
    atOnce: 4,
    sessions: 4,
    startMs: START_MS,
    start,
    async probe() {
      const failed = (problem: string, hint: string): Probe => ({ engine: host.name, ok: false, problem, hint });
      const checked = await host.check();
      if ('problem' in checked) return failed(checked.problem, checked.hint);
      const found = findPyodide(ownFolder);
      if (!found) return failed('Pyodide is not installed', 'install it beside portolan: npm install pyodide');
      const probed = await probeGuest(engine, PROBE, log);
      if (!probed.ok) return failed(probed.problem, 'see that Pyodide is whole: npm install pyodide');
      const version = `Pyodide ${found.version}, Python ${probed.python}, ${checked.version}`;
      return { engine: host.name, ok: true, version, guarantees: host.guarantees };
    },
  };
  return engine;
}

async function startGuest(host: PyodideHost, plan: RunnerPlan): Promise<GuestProcess> {
  return spawnGuest({ ...(await host.command(plan)), first: cpythonSource(), privateErrors: true });
}

async function makeSnapshot(
  host: PyodideHost,
  found: PyodidePackage,
  version: string,
  folder: string,
  log: Log,
): Promise<string | undefined> {
  const plan = { folder: found.folder, memoryBytes: 1024 ** 3, fileBytes: 1024 ** 3, make: SNAPSHOT_IMPORTS };
  const maker = await host.command(plan);
  const key = JSON.stringify([host.name, version, found.version, process.arch, SNAPSHOT_IMPORTS]);
  return snapshotFile({ folder, name: host.name, key, maker, log });
}

/** Tries what must not work; the value is the list of what did. */
const PROBE = `
def must_fail(what, act):
    try:
        act()
    except (OSError, MemoryError, ImportError):
        return
    found.append(what)
must_fail("a limit of memory does not hold", lambda: bytearray(1 << 30))
must_fail("a limit of files does not hold", lambda: [open(f"big{n}", "wb").write(bytes(16 << 20)) for n in range(8)])
must_fail("JavaScript can be reached", lambda: __import__("js"))
must_fail("the machine's files can be seen", lambda: open("/etc/passwd"))
must_fail("a process can be started", lambda: __import__("subprocess").run(["true"]))
import os
for name in os.listdir():
    os.unlink(name)
`;
