import type { Log } from '../../base/index.js';
import { visible } from './terminal-text.js';

/**
 * Warnings about Portolan's own files, such as a log or a cache that cannot be written. Warnings about a server are left out,
 * because the output of the command has them.
 */
export class Warnings {
  readonly #messages = new Map<string, { readonly about: string; count: number }>();

  readonly log: Log = (level, message, { server, path, error } = {}) => {
    if ((level !== 'warn' && level !== 'error') || server !== undefined) return;
    const known = this.#messages.get(message);
    if (known) known.count += 1;
    else this.#messages.set(message, { about: String(path ?? error ?? ''), count: 1 });
  };

  /** One line for each message, with its count. */
  lines(): string[] {
    return [...this.#messages].map(([message, { about, count }]) =>
      visible(`warning: ${message}${about === '' ? '' : `: ${about}`}${count === 1 ? '' : ` (and ${count - 1} more)`}`),
    );
  }
}
