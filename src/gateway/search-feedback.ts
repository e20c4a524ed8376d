import type { ToolIndex } from '../search/index.js';

/** A search that somebody made, until they have used what it found or forgotten it. */
interface Asked {
  readonly client: string;
  readonly needs: readonly string[];
  readonly at: number;
}

/** Who calls a tool this long after a search does not call it because of that search. */
const FORGET_MS = 10 * 60_000;
const MAX_ASKED_PER_CLIENT = 3;
const MAX_ASKED = 300;
/** A tool further down was not found but known. */
const LOWEST_RANK = 10;
/** Each is searched for again when a call worked. */
const MAX_NEEDS = 8;
const MAX_NEED_CHARACTERS = 500;

/** Learns which need led to which tool: a search, then a call that worked. Nothing that a server says gets in. */
export class SearchFeedback {
  readonly #index: ToolIndex;
  readonly #isOn: () => boolean;
  readonly #changed: () => void;
  readonly #now: () => number;
  #asked: Asked[] = [];

  constructor(index: ToolIndex, isOn: () => boolean, changed: () => void, now: () => number = Date.now) {
    this.#index = index;
    this.#isOn = isOn;
    this.#changed = changed;
    this.#now = now;
  }

  searched(client: string, query: string | readonly string[]): void {
    if (!this.#isOn()) return;
    const lines = typeof query === 'string' ? query.slice(0, MAX_NEEDS * MAX_NEED_CHARACTERS).split('\n') : query;
    const trimmed = lines.slice(0, MAX_NEEDS).map((need) => need.slice(0, MAX_NEED_CHARACTERS).trim());
    const needs = trimmed.filter(Boolean);
    const mine = this.#asked.filter((asked) => asked.client === client).slice(1 - MAX_ASKED_PER_CLIENT);
    const others = this.#asked.filter((asked) => asked.client !== client);
    this.#asked = [...others, ...mine, { client, needs, at: this.#now() }].slice(-MAX_ASKED);
  }

  /** Whether any search waits for a call that shows what it was good for. */
  get isWaiting(): boolean {
    return this.#asked.length > 0;
  }

  /** The need that fits best is the one that was met. Takes as long as some searches. */
  worked(client: string, server: string, tool: string): void {
    if (!this.#isOn() || !this.isWaiting) return;
    const recent = this.#asked.filter((asked) => asked.client === client && this.#now() - asked.at < FORGET_MS);
    const ranked = recent
      .flatMap(({ needs }) => needs)
      .map((need) => ({ need, rank: this.#rank(need, server, tool) }))
      .filter(({ rank }) => rank >= 0)
      .sort((a, b) => a.rank - b.rank);
    const [best] = ranked;
    if (!best) return;
    this.#index.remember({ server, tool }, best.need);
    // A need is met once: the next call of the same tool says nothing new about it.
    this.#asked = this.#asked.map((asked) =>
      asked.client === client ? { ...asked, needs: asked.needs.filter((need) => need !== best.need) } : asked,
    );
    this.#changed();
  }

  #rank(need: string, server: string, tool: string): number {
    return (
      this.#index
        .search(need, { limit: LOWEST_RANK })
        // Where there are few tools each of them comes up for anything: what only comes up was not found.
        .findIndex((result) => result.server === server && result.tool === tool && !result.weak)
    );
  }
}
