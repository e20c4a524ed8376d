// Our own scripts: generators use `compgen -W`, which executes `$(…)` in a server's name.
import type { Command, Option } from '../../runtime/command.js';

/** What can be completed at one position of the command line. */
export type Suggestions =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'files' }
  | { readonly kind: 'servers' }
  | { readonly kind: 'words'; readonly words: readonly string[] };

export interface Flag {
  readonly flag: string;
  readonly about: string;
  readonly isRepeated: boolean;
  /** The value of the flag; absent for a switch. */
  readonly value?: Suggestions;
}

/** What a completion script needs to know about a command. */
export interface CompletionCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly word: Suggestions;
  /** Every word is completed, not only the first. */
  readonly isRepeated: boolean;
}

// Server names come from files that others may have written, so no script lets the shell expand them: they are read
// line by line, compared literally and quoted before they are inserted.

/** The command with which a script gets the server names, one per line. */
export const ASK_NAMES = 'command portolan completion --names 2>/dev/null';

/** The command table in the form that the completion scripts need. */
export function linesOf(commands: readonly Command[], clients: readonly string[]): readonly CompletionCommand[] {
  const names = commands.map(({ name }) => name);
  return commands.map(({ name, summary, options, words }) => ({
    name,
    summary,
    flags: Object.entries(options)
      .filter(([, { isHidden }]) => !isHidden)
      .map(([flag, option]) => toFlag(flag, option, clients)),
    word: name === 'help' ? withMore(wordOf(words, clients), names) : wordOf(words, clients),
    isRepeated: words === 'servers',
  }));
}

function toFlag(flag: string, { type, about = '', value, multiple = false }: Option, clients: readonly string[]): Flag {
  const isAlone = type === 'boolean';
  return { flag: `--${flag}`, about, isRepeated: multiple, ...(!isAlone && { value: followerOf(value, clients) }) };
}

function followerOf(value: Option['value'], clients: readonly string[]): Suggestions {
  if (typeof value === 'object') return { kind: 'words', words: value };
  if (value === undefined) return { kind: 'nothing' };
  if (/\bSERVER\b/.test(value)) return { kind: 'servers' };
  if (/\b(?:FILE|PATH)\b/.test(value)) return { kind: 'files' };
  return /\bID\b,/.test(value) ? { kind: 'words', words: clients } : { kind: 'nothing' };
}

function wordOf(words: Command['words'], clients: readonly string[]): Suggestions {
  if (words === undefined) return { kind: 'nothing' };
  if (words === 'server' || words === 'servers') return { kind: 'servers' };
  return { kind: 'words', words: words === 'client' ? clients : words };
}

function withMore(offer: Suggestions, more: readonly string[]): Suggestions {
  return offer.kind === 'words' ? { kind: 'words', words: [...new Set([...more, ...offer.words])] } : offer;
}
