import { maskArgs } from '../base/index.js';
import type { ProblemDraft } from './problem-draft.js';

/** Programs that npm and its kin install as `.cmd` files, which Windows cannot start like a program. */
const SHIMS = new Set([
  'npx',
  'npm',
  'pnpm',
  'pnpx',
  'yarn',
  'yarnpkg',
  'corepack',
  'tsx',
  'ts-node',
  'tsc',
  'mcp-remote',
]);

/** On Windows, a shim needs `cmd /c` before it; the hint is the entry as it should be. */
export function windowsShim(command: string, args: readonly string[]): ProblemDraft | undefined {
  const last = command.split(/[\\/]/).at(-1)?.toLowerCase() ?? '';
  if (!SHIMS.has(last) && !/\.(cmd|bat)$/.test(last)) return undefined;
  const corrected = JSON.stringify({ command: 'cmd', args: ['/c', command, ...maskArgs(args)] });
  return {
    code: 'windows-npx',
    severity: 'warning',
    message: `Windows cannot start ${command} without cmd /c`,
    hint: `write ${corrected}`,
  };
}
