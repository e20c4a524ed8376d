import { ErrorCode, type Log, PortolanError } from '../../base/index.js';
import type { Engine, EngineName, GuestProcess, Limits, Probe } from '../engine.js';
import { cpythonSource } from './cpython.js';
import { probeGuest } from './probe-guest.js';
import { findPyodide, type PyodidePackage } from './pyodide-package.js';
import { SNAPSHOT_IMPORTS, snapshotFile } from './pyodide-snapshot.js';
import { type GuestCommand, spawnGuest } from './spawn-guest.js';

const START_MS = 90_000;
/** The memory of the interpreter itself, before submitted code runs. */
const OWN_MEMORY_BYTES = 64 * 1024 * 1024;

/** The input of the runner: the path of Pyodide and the limits. */
export interface RunnerPlan {
  readonly folder: string;
  readonly snapshot?: string;
  readonly memoryBytes: number;
  readonly fileBytes: number;
  /** The descriptors of the pipes; 0 and 1 by default. */
  readonly input?: number;
  readonly output?: number;
  /** Python code to run before a snapshot is written to stdout. If set, the guest is not started. */
  readonly make?: string;
}

/** A JavaScript runtime that can run Pyodide. */
export interface PyodideHost {
  readonly name: Extract<EngineName, 'pyodide' | 'deno'>;
  readonly guarantees: readonly string[];
  /** The version of the runtime, or why it cannot be used. */
  check(): Promise<{ readonly version: string } | { readonly problem: string; readonly hint: string }>;
  command(plan: RunnerPlan): Promise<Omit<GuestCommand, 'first'>>;
}

/** CPython compiled to WebAssembly in a separate process. `host` is the JavaScript runtime. */
export function pyodideEngine(host: PyodideHost, ownFolder: string, log: Log): Engine {
  let snapshot: Promise<string | undefined> | undefined;
  const snapshotOf = (found: PyodidePackage, version: string) => {
    snapshot ??= makeSnapshot(host, found, version, ownFolder, log);
    return snapshot;
  };
  const start = async ({ memoryBytes, folderBytes }: Pick<Limits, 'memoryBytes' | 'folderBytes'>) => {
    const [found, checked] = [findPyodide(ownFolder), await host.check()];
    if (!found || 'problem' in checked)
      throw new PortolanError(ErrorCode.SandboxUnavailable, 'cannot start the sandbox: Pyodide was uninstalled', {
        hint: 'install Pyodide again; `portolan doctor` shows the engines',
      });
    const file = await snapshotOf(found, checked.version);
    const plan: RunnerPlan = {
      folder: found.folder,
      // The permission is granted for the path with all symlinks resolved.
      ...(file !== undefined && { snapshot: process.getBuiltinModule('node:fs').realpathSync(file) }),
      memoryBytes: memoryBytes + OWN_MEMORY_BYTES,
      fileBytes: folderBytes,
    };
    return startGuest(host, plan);
  };
  const engine: Engine = {
    name: host.name,
    // Each interpreter takes about 200 MB.
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
      if (!probed.ok) return failed(probed.problem, 'reinstall Pyodide: npm install pyodide');
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

/** Tries forbidden operations and returns a list of those that succeeded. */
const PROBE = `
def must_fail(what, act):
    try:
        act()
    except (OSError, MemoryError, ImportError):
        return
    found.append(what)
must_fail("the memory limit is not enforced", lambda: bytearray(1 << 30))
must_fail("the file size limit is not enforced", lambda: [open(f"big{n}", "wb").write(bytes(16 << 20)) for n in range(8)])
must_fail("JavaScript can be reached", lambda: __import__("js"))
must_fail("files of this machine are visible", lambda: open("/etc/passwd"))
must_fail("a process can be started", lambda: __import__("subprocess").run(["true"]))
import os
for name in os.listdir():
    os.unlink(name)
`;
