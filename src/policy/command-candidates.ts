import { commandsIn, splitWords } from '../base/index.js';
import type { Definition } from '../model/index.js';
import { programName, unwrapped } from '../model/index.js';

/** Programs that run the program which follows, or the line that one of their arguments is. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...['cmd', 'sh', 'bash', 'zsh', 'dash', 'ash', 'ksh', 'fish', 'busybox', 'powershell', 'pwsh', 'wsl', 'start'],
  ...['eval', 'ionice', 'chrt', 'taskset', 'script', 'unbuffer', 'strace', 'tini', 'dumb-init', 'dotenv', 'dotenvx'],
  ...['env', 'exec', 'command', 'nohup', 'nice', 'time', 'timeout', 'setsid', 'stdbuf', 'sudo', 'doas', 'xargs'],
]);
/** A script in a script in a script; deeper ones need a purpose that no rule will stop. */
const MAX_DEPTH = 3;

/** A line with more commands is a program of its own, and nobody can say what it comes down to. */
export const MAX_CANDIDATES = 100;

/** A command that a launch may come down to. */
export interface CommandCandidate {
  readonly words: readonly string[];
  /** How many words at its start may be no more than a wrapper around the rest. */
  readonly wrapping: number;
  /** The names of those words as programs, and of the one after them. */
  readonly programs: readonly string[];
}

/**
 * Every command that starting the server may come down to, for rules that deny.
 * It guesses too much rather than too little, which is why a rule that allows never asks it; it stops beyond the limit.
 */
export function candidatesOf({ command, args = [], headersHelper }: Definition): readonly CommandCandidate[] {
  const found = new Map<string, CommandCandidate>();
  if (command !== undefined) {
    add(found, [command, ...args], 0);
    add(found, unwrapped([command, ...args]), 0);
    // Some write the whole line in the place of the command.
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

/** Wrappers, their flags with a value each, variables and durations, up to the first word that is something else. */
function wrappingOf(words: readonly string[]): number {
  if (!WRAPPERS.has(programName(words[0] ?? ''))) return 0;
  const end = words.findIndex((word, n) => {
    const isExtra = /^[-/]|^[A-Za-z_]\w*=|^\d+[a-z]?$/.test(word) || WRAPPERS.has(programName(word));
    return !isExtra && !/^[-/]/.test(words[n - 1] ?? '');
  });
  return end < 0 ? words.length : end;
}

/** A backslash or a caret before a letter is nothing to the shell, and a disguise to a reader. */
function addScript(found: Map<string, CommandCandidate>, script: string, depth: number): void {
  for (const text of new Set([script, script.replaceAll(/[\\^]/g, '')])) {
    for (const words of commandsIn(text)) {
      if (found.size > MAX_CANDIDATES) return;
      add(found, withoutExtras(words), depth);
    }
  }
}

/** Without variables set before the command, and from the first redirection on. */
function withoutExtras(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const end = words.findIndex((word) => /^\d*[<>]/.test(word));
  return words.slice(Math.max(start, 0), end < 0 ? words.length : end);
}
