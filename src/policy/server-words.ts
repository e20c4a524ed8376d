import { commandsIn, splitWords } from '../base/index.js';
import type { Definition } from '../model/index.js';
import { programName, unwrapped } from '../scope/index.js';

/** Programs that run the program which follows, or the line that one of their arguments is. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...['cmd', 'sh', 'bash', 'zsh', 'dash', 'ash', 'ksh', 'fish', 'busybox', 'powershell', 'pwsh', 'wsl', 'start'],
  ...['env', 'exec', 'command', 'nohup', 'nice', 'time', 'timeout', 'setsid', 'stdbuf', 'sudo', 'doas', 'xargs'],
]);
/** A script in a script in a script; deeper ones need a purpose that no rule will stop. */
const MAX_DEPTH = 3;

/** A command that a launch may come down to. */
export interface Candidate {
  readonly words: readonly string[];
  /** Whether it starts with a wrapper, so that its end may be a command of its own. */
  readonly isWrapped: boolean;
}

/**
 * Every command that starting the server may come down to, for rules that deny.
 * It guesses too much rather than too little, which is why a rule that allows never asks it.
 */
export function candidatesOf({ command, args = [], headersHelper }: Definition): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  if (command !== undefined) {
    add(found, [command, ...args], 0);
    add(found, unwrapped([command, ...args]), 0);
    // Some write the whole line in the place of the command.
    if (/\s/.test(command)) add(found, [...splitWords(command), ...args], 0);
  }
  if (headersHelper !== undefined) addScript(found, headersHelper, 0);
  return [...found.values()];
}

function add(found: Map<string, Candidate>, words: readonly string[], depth: number): void {
  const [command = '', ...args] = words;
  const isWrapped = WRAPPERS.has(programName(command));
  const key = JSON.stringify(words);
  if (words.length === 0 || found.has(key)) return;
  found.set(key, { words, isWrapped });
  if (!isWrapped || depth >= MAX_DEPTH) return;
  for (const arg of args) addScript(found, arg.replace(/^\/[ck]/i, ''), depth + 1);
}

/** A backslash or a caret before a letter is nothing to the shell, and a disguise to a reader. */
function addScript(found: Map<string, Candidate>, script: string, depth: number): void {
  for (const text of new Set([script, script.replaceAll(/[\\^]/g, '')])) {
    for (const words of commandsIn(text)) add(found, withoutExtras(words), depth);
  }
}

/** Without variables set before the command, and from the first redirection on. */
function withoutExtras(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const end = words.findIndex((word) => /^\d*[<>]/.test(word));
  return words.slice(Math.max(start, 0), end < 0 ? words.length : end);
}
