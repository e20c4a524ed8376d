import { ErrorCode, type Log, PortolanError } from '../../base/index.js';
import { AUTOMATIC, DEFAULT_IMAGE, ENGINE_NAMES, type Engine, type EngineName } from '../engine.js';
import { bwrapEngine } from './bwrap.js';
import { containerEngine } from './container.js';
import { pyodideEngine } from './pyodide.js';
import { pyodideInDeno } from './pyodide-deno.js';
import { pyodideInNode } from './pyodide-node.js';

interface EngineOptions {
  readonly image?: string;
  readonly folder: string;
  readonly log: Log;
}

/** The engines to try, in order of preference. */
export function enginesFor(which: 'auto' | 'every', options: EngineOptions): readonly Engine[] {
  return (which === 'auto' ? AUTOMATIC : ENGINE_NAMES).map((name) => made(name, options));
}

/** The engine with this name. */
export function engineOf(wanted: string, options: EngineOptions): Engine {
  const name = ENGINE_NAMES.find((one) => one === wanted);
  if (name) return made(name, options);
  throw new PortolanError(ErrorCode.SettingsInvalid, `unknown sandbox engine: ${wanted}`, {
    hint: `use auto, off or one of ${ENGINE_NAMES.join(', ')}`,
  });
}

function made(name: EngineName, { folder, image, log }: EngineOptions): Engine {
  switch (name) {
    case 'bwrap':
      return bwrapEngine(log);
    case 'pyodide':
      return pyodideEngine(pyodideInNode, folder, log);
    case 'deno':
      return pyodideEngine(pyodideInDeno(folder), folder, log);
    case 'podman':
    case 'docker':
      return containerEngine(name, image ?? DEFAULT_IMAGE, log);
  }
}
