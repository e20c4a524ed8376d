import { maskArgs, splitWords } from '../base/index.js';
import type { LaunchFields } from '../model/index.js';
import type { ProblemDraft } from './problem-draft.js';

/** Programs that npm and others install as `.cmd` files, which Windows cannot start directly. */
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

/**
 * On Windows a shim must be started with `cmd /c`; the hint shows the corrected entry. It is built from the unexpanded
 * text, so that it contains no variable values.
 */
export function windowsShim(
  command: string,
  written: Pick<LaunchFields, 'command' | 'args'>,
): ProblemDraft | undefined {
  const args = written.args ?? [];
  if (isShim(command)) return problem([written.command ?? command, ...args]);
  // A whole command line in place of the program.
  const words = args.length === 0 ? splitWords(written.command ?? command) : [];
  return words.length > 1 && isShim(words[0] ?? '') ? problem(words) : undefined;
}

function isShim(command: string): boolean {
  const last = command.split(/[\\/]/).at(-1)?.toLowerCase() ?? '';
  return SHIMS.has(last) || /^[^\s]+\.(?:cmd|bat)$/.test(last);
}

function problem(words: readonly string[]): ProblemDraft {
  const corrected = JSON.stringify({ command: 'cmd', args: ['/c', ...maskArgs(words, 'shown')] });
  return {
    code: 'windows-npx',
    severity: 'warning',
    message: `Windows cannot start ${words[0]} without cmd /c`,
    hint: `write ${corrected}`,
  };
}
