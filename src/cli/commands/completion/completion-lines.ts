import type { Command, Option } from '../../runtime/command.js';

/** What can stand at one place of a command line. */
export type Offer =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'files' }
  | { readonly kind: 'servers' }
  | { readonly kind: 'words'; readonly words: readonly string[] };

export interface Flag {
  readonly flag: string;
  readonly about: string;
  readonly isRepeated: boolean;
  /** What follows it; absent where nothing does. */
  readonly value?: Offer;
}

/** What a shell has to know of a command. */
export interface Line {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly word: Offer;
  /** Any number of words, not only the first. */
  readonly isRepeated: boolean;
}

// Names of servers come out of files that anybody may have written. No script lets a shell expand them: they are read line by
// line, compared as they are, and quoted before they get onto a command line.

/** How a script asks for the names of servers, one a line. */
export const ASK_NAMES = 'command portolan completion --names 2>/dev/null';

/** The table of commands as shells need it. */
export function linesOf(commands: readonly Command[], clients: readonly string[]): readonly Line[] {
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

function followerOf(value: Option['value'], clients: readonly string[]): Offer {
  if (typeof value === 'object') return { kind: 'words', words: value };
  if (value === undefined) return { kind: 'nothing' };
  if (/\bSERVER\b/.test(value)) return { kind: 'servers' };
  if (/\b(?:FILE|PATH)\b/.test(value)) return { kind: 'files' };
  return /\bID\b,/.test(value) ? { kind: 'words', words: clients } : { kind: 'nothing' };
}

function wordOf(words: Command['words'], clients: readonly string[]): Offer {
  if (words === undefined) return { kind: 'nothing' };
  if (words === 'server' || words === 'servers') return { kind: 'servers' };
  return { kind: 'words', words: words === 'client' ? clients : words };
}

function withMore(offer: Offer, more: readonly string[]): Offer {
  return offer.kind === 'words' ? { kind: 'words', words: [...new Set([...more, ...offer.words])] } : offer;
}
