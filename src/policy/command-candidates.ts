import { commandsIn, splitWords } from '../base/index.js';
import type { Definition } from '../model/index.js';
import { programName, unwrapped } from '../model/index.js';

/** Programs that run another program or a command line given in their arguments. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...['cmd', 'sh', 'bash', 'zsh', 'dash', 'ash', 'ksh', 'fish', 'busybox', 'powershell', 'pwsh', 'wsl', 'start'],
  ...['eval', 'ionice', 'chrt', 'taskset', 'script', 'unbuffer', 'strace', 'tini', 'dumb-init', 'dotenv', 'dotenvx'],
  ...['env', 'exec', 'command', 'nohup', 'nice', 'time', 'timeout', 'setsid', 'stdbuf', 'sudo', 'doas', 'xargs'],
]);
/** The maximum depth of nested scripts; deeper nesting is deliberate evasion. */
const MAX_DEPTH = 3;

/** A line with more commands is a program, which rules cannot judge. */
export const MAX_CANDIDATES = 100;

/** A command that a launch may execute. */
export interface CommandCandidate {
  readonly words: readonly string[];
  /** The number of words at the start that may be only wrappers. */
  readonly wrapping: number;
  /** The program names of those words and of the word after them. */
  readonly programs: readonly string[];
}

/**
 * Every command that starting the server may execute, for deny rules. Errs on the side of too many, so allow rules must
 * not use it. Stops at the limit.
 */
export function candidatesOf({ command, args = [], headersHelper }: Definition): readonly CommandCandidate[] {
  const found = new Map<string, CommandCandidate>();
  if (command !== undefined) {
    add(found, [command, ...args], 0);
    add(found, unwrapped([command, ...args]), 0);
    // Some entries have the whole command line in `command`.
    if (/\s/.test(command)) add(found, [...splitWords(command), ...args], 0);
  }
  if (headersHelper !== undefined) addScript(found, headersHelper, 0);
  return [...found.values()];
}

function add(found: Map<string, CommandCandidate>, words: readonly string[], depth: number): void {
  const key = JSON.stringify(words);
  if (words.length === 0 || found.has(key) || found.size > MAX_CANDIDATES) return;
  const wrapping = wrappingOf(words);
  found.set(key, { words, wrapping, programs: words.slice(0, wrapping + 1).map(programName) });
  if (wrapping === 0 || depth >= MAX_DEPTH) return;
  for (const [n, word] of words.entries()) {
    const isScript = n > 0 && (/[\s;&|]/.test(word) || SCRIPT_FLAG.test(words[n - 1] ?? ''));
    if (isScript) addScript(found, word.replace(/^\/[ck]/i, ''), depth + 1);
  }
}

const SCRIPT_FLAG = /^(-[a-z]*c|-command|\/[ck])$/i;

/** Skips wrappers, their flags with one value each, variables and durations. */
function wrappingOf(words: readonly string[]): number {
  if (!WRAPPERS.has(programName(words[0] ?? ''))) return 0;
  const end = words.findIndex((word, n) => {
    const isExtra = /^[-/]|^[A-Za-z_]\w*=|^\d+[a-z]?$/.test(word) || WRAPPERS.has(programName(word));
    return !isExtra && !/^[-/]/.test(words[n - 1] ?? '');
  });
  return end < 0 ? words.length : end;
}

/** A shell ignores a backslash or a caret before a letter, which could hide a name from a reader. */
function addScript(found: Map<string, CommandCandidate>, script: string, depth: number): void {
  for (const text of new Set([script, script.replaceAll(/[\\^]/g, '')])) {
    for (const words of commandsIn(text)) {
      if (found.size > MAX_CANDIDATES) return;
      add(found, withoutExtras(words), depth);
    }
  }
}

/** Drops variables before the command, and everything from the first redirection on. */
function withoutExtras(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const end = words.findIndex((word) => /^\d*[<>]/.test(word));
  return words.slice(Math.max(start, 0), end < 0 ? words.length : end);
}
