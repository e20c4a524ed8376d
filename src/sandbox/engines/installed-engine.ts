import { assertNever } from '../../base/index.js';
import { AUTOMATIC, ENGINE_NAMES, type EngineName } from '../engine.js';
import { findBwrap, findDeno, findSystemPython } from './engine-programs.js';
import { findTrustedProgram } from './find-program.js';
import { hasFailedProbe } from './probe-cache.js';
import { findPyodide } from './pyodide-package.js';

/** Whether programs can probably run. It starts nothing, because listing tools must not wait for a probe. */
export function canProbablyRun(wanted: string, folder: string): boolean {
  const installed = installedEngines(wanted, folder);
  return installed.length > 0 && !hasFailedProbe(folder, { wanted, installed });
}

/** The installed engines among those that the setting allows. */
export function installedEngines(wanted: string, folder: string): readonly EngineName[] {
  const names = wanted === 'auto' ? AUTOMATIC : ENGINE_NAMES.filter((name) => name === wanted);
  return names.filter((name) => isInstalled(name, folder));
}

/** Whether the engine's files exist; not whether it works. */
export function isInstalled(name: EngineName, folder: string): boolean {
  switch (name) {
    case 'bwrap':
      return process.platform === 'linux' && findBwrap() !== undefined && findSystemPython() !== undefined;
    case 'deno':
      return findDeno() !== undefined && findPyodide(folder) !== undefined;
    case 'pyodide':
      return findPyodide(folder) !== undefined;
    case 'podman':
    case 'docker':
      return findTrustedProgram(name) !== undefined;
    default:
      return assertNever(name);
  }
}
