import type { Log } from '../../base/index.js';
import { visible } from './terminal-text.js';

/**
 * What goes wrong with our own files while a command runs, for the person who ran it: a log or a catalog that cannot be kept
 * is not silent. What is about a server is not among it, because the command's own answer says that.
 */
export class Warnings {
  readonly #said = new Map<string, { readonly about: string; count: number }>();

  readonly log: Log = (level, message, { server, path, error } = {}) => {
    if ((level !== 'warn' && level !== 'error') || server !== undefined) return;
    const known = this.#said.get(message);
    if (known) known.count += 1;
    else this.#said.set(message, { about: String(path ?? error ?? ''), count: 1 });
  };

  /** One for each kind, however often it came. */
  lines(): string[] {
    return [...this.#said].map(([message, { about, count }]) =>
      visible(`warning: ${message}${about === '' ? '' : `: ${about}`}${count === 1 ? '' : ` (and ${count - 1} more)`}`),
    );
  }
}
