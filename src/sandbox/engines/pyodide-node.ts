import { RUNNER_SOURCE } from '../guest-source.js';
import type { PyodideHost, RunnerPlan } from './pyodide.js';
import { MOVED, withWatchdog } from './watchdog-command.js';

/** The heap limit of JavaScript; Python's memory has a separate limit. */
const HEAP_MEGABYTES = 256;
/** The memory of the process besides Python: V8, compiled code and thread stacks. */
const OWN_DATA_BYTES = 1024 ** 3;
const GUARANTEES = [
  'no access to files of this machine except those of Pyodide',
  'no processes started',
  'no network from Python; code that breaks out of WebAssembly is limited only by the permission model of Node',
  'memory and time limited by the gateway',
];

/** Pyodide in a separate Node process: permission model, no code from strings, empty environment, memory limit. */
export const pyodideInNode: PyodideHost = {
  name: 'pyodide',
  guarantees: GUARANTEES,
  async check() {
    if (process.release.name === 'node') return { version: `Node ${process.versions.node}` };
    return { problem: 'this process does not run in Node', hint: 'run portolan with Node' };
  },
  async command(plan) {
    const data = plan.memoryBytes + plan.fileBytes + OWN_DATA_BYTES;
    const args = nodeArguments(process.platform === 'win32' ? plan : { ...plan, ...MOVED });
    return withWatchdog(process.execPath, args, data, 'moved');
  },
};

/** The arguments of the Node process. It can read only Pyodide's files and the snapshot. */
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
