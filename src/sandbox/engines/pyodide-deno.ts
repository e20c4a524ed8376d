import { join } from 'node:path';
import { ErrorCode, PortolanError } from '../../base/index.js';
import { RUNNER_SOURCE } from '../guest-source.js';
import { findDeno } from './engine-programs.js';
import { ENGINE_FOLDERS } from './find-program.js';
import { answerOf } from './program-output.js';
import type { PyodideHost, RunnerPlan } from './pyodide.js';
import { withWatchdog } from './watchdog-command.js';

const HEAP_MEGABYTES = 256;
const OWN_DATA_BYTES = 1024 ** 3;

const GUARANTEES = [
  'no network (permissions of Deno)',
  'no access to files of this machine except those of Pyodide (permissions of Deno)',
  'no processes started',
  'memory and time limited by the gateway',
];

/** Pyodide in Deno: code that breaks out of WebAssembly runs in a process without permissions. */
export function pyodideInDeno(ownFolder: string): PyodideHost {
  const env = { DENO_DIR: join(ownFolder, 'deno'), NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' };
  return {
    name: 'deno',
    guarantees: GUARANTEES,
    async check() {
      const deno = findDeno();
      const hint = `install Deno in ~/.deno/bin or one of ${ENGINE_FOLDERS.join(', ')}: https://deno.com`;
      if (!deno) return { problem: 'Deno was not found in a trusted directory', hint };
      const { ok, text } = await answerOf(deno, ['--version'], env);
      if (!ok) return { problem: `Deno does not start: ${text.slice(0, 200)}`, hint };
      return { version: text.split('\n')[0]?.trim() ?? 'Deno' };
    },
    async command(plan) {
      const deno = findDeno();
      if (!deno)
        throw new PortolanError(ErrorCode.SandboxUnavailable, 'cannot start the sandbox: Deno was uninstalled', {
          hint: 'install Deno again; `portolan doctor` shows the engines',
        });
      const data = plan.memoryBytes + plan.fileBytes + OWN_DATA_BYTES;
      return { ...withWatchdog(deno, denoArguments(plan), data, 'usual'), env };
    },
  };
}

/** The arguments of the Deno process. The runner is passed as a data URL, so that it needs no file. */
export function denoArguments(plan: RunnerPlan): string[] {
  const readable = [plan.folder, ...(plan.snapshot === undefined ? [] : [plan.snapshot])];
  return [
    'run',
    ...['--no-prompt', '--no-config', '--no-lock', '--no-remote', '--no-npm', '--quiet'],
    `--v8-flags=--max-old-space-size=${HEAP_MEGABYTES},--disallow-code-generation-from-strings`,
    // A comma separates paths. A path that contains one is left out, so the probe fails and another engine is used.
    `--allow-read=${readable.filter((path) => !path.includes(',')).join(',')}`,
    `data:application/javascript;base64,${Buffer.from(RUNNER_SOURCE).toString('base64')}`,
    JSON.stringify(plan),
  ];
}
