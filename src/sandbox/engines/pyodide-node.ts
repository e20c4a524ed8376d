import { RUNNER_SOURCE } from '../guest-source.js';
import type { PyodideHost, RunnerPlan } from './pyodide.js';
import { guarded, MOVED } from './watchdog-command.js';

/** For what JavaScript itself needs; Python's memory is limited apart. */
const HEAP_MEGABYTES = 256;
/** What the process has beside its Python: the engine, its code, its threads' stacks. */
const OWN_DATA_BYTES = 1024 ** 3;
const GUARANTEES = [
  'no file of the machine but those of Pyodide',
  'no process started',
  'no network from Python; against code that breaks out of WebAssembly there is only the permission model of Node',
  'memory and time limited by the gateway',
];

/** Pyodide in a Node of its own: the permission model, no code from strings, no environment, a limit of memory. */
export const pyodideInNode: PyodideHost = {
  name: 'pyodide',
  guarantees: GUARANTEES,
  async check() {
    if (process.release.name === 'node') return { version: `Node ${process.versions.node}` };
    return { problem: 'this is not Node', hint: 'run portolan with Node' };
  },
  async command(plan) {
    const data = plan.memoryBytes + plan.fileBytes + OWN_DATA_BYTES;
    const args = nodeArguments(process.platform === 'win32' ? plan : { ...plan, ...MOVED });
    return guarded(process.execPath, args, data, 'moved');
  },
};

/** The flags of the child: readable are Pyodide's own files and the snapshot, and nothing else. */
export function nodeArguments(plan: RunnerPlan): string[] {
  const { snapshot } = plan;
  const known = process.allowedNodeEnvironmentFlags;
  return [
    known.has('--permission') ? '--permission' : '--experimental-permission',
    `--allow-fs-read=${plan.folder}`,
    ...(snapshot === undefined ? [] : [`--allow-fs-read=${snapshot}`]),
    '--disallow-code-generation-from-strings',
    '--no-warnings',
    '--no-addons',
    '--no-global-search-paths',
    `--max-old-space-size=${HEAP_MEGABYTES}`,
    '--input-type=module',
    ...['-e', RUNNER_SOURCE, '--', JSON.stringify(plan)],
  ];
}
