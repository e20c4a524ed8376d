import type { SearchResult, ToolIndex } from '../search/index.js';

type ToolName = Pick<SearchResult, 'server' | 'tool'>;

/** One need of a search, and the best tools for it when the search was made, best first. */
interface Need {
  readonly text: string;
  readonly found: readonly ToolName[];
}

interface RecentSearch {
  readonly at: number;
  readonly needs: readonly Need[];
}

/** A call this long after a search is not counted as a consequence of it. */
const FORGET_MS = 10 * 60_000;
const MAX_SEARCHES_PER_CLIENT = 3;
const MAX_CLIENTS = 100;
/** A call of a tool with a lower rank says nothing about the search: the client knew the tool already. */
const LOWEST_RANK = 10;
const MAX_NEEDS = 8;
const MAX_NEED_CHARACTERS = 500;

/**
 * Learns which need led to which tool, from a search and a later call that succeeded. Text from servers has no influence.
 * All searching is done with the search itself, so that a call costs the same before and after it.
 */
export class SearchFeedback {
  readonly #index: ToolIndex;
  readonly #isOn: () => boolean;
  readonly #changed: () => void;
  readonly #now: () => number;
  /** By client; the client that searched last is the last entry. */
  readonly #searches = new Map<string, readonly RecentSearch[]>();

  constructor(index: ToolIndex, isOn: () => boolean, changed: () => void, now: () => number = Date.now) {
    this.#index = index;
    this.#isOn = isOn;
    this.#changed = changed;
    this.#now = now;
  }

  /** `results` is the answer to `query`; the answer to a single need is not computed again. */
  searched(client: string, query: string | readonly string[], results: readonly SearchResult[], server?: string): void {
    if (!this.#isOn()) return;
    const needs = needsIn(query);
    const answers = needs.map((text) => ({
      text,
      found: (needs.length === 1 ? results : this.#search(text, server))
        .slice(0, LOWEST_RANK)
        // With few tools, every tool is a weak result for any need.
        .flatMap((result) => (result.weak ? [] : [{ server: result.server, tool: result.tool }])),
    }));
    const earlier = this.#recent(client).slice(1 - MAX_SEARCHES_PER_CLIENT);
    this.#searches.delete(client);
    this.#searches.set(client, [...earlier, { at: this.#now(), needs: answers }]);
    for (const oldest of this.#searches.keys()) {
      if (this.#searches.size <= MAX_CLIENTS) return;
      this.#searches.delete(oldest);
    }
  }

  /** A call succeeded: the need for which the tool had the best rank is remembered. */
  worked(client: string, server: string, tool: string): void {
    if (!this.#isOn() || !this.#searches.has(client)) return;
    const recent = this.#recent(client);
    let best: Need | undefined;
    let bestRank = LOWEST_RANK;
    for (const need of recent.flatMap(({ needs }) => needs)) {
      const rank = need.found.findIndex((one) => one.tool === tool && one.server === server);
      if (rank < 0 || rank >= bestRank) continue;
      best = need;
      bestRank = rank;
    }
    if (!best) {
      if (recent.length === 0) this.#searches.delete(client);
      return;
    }
    const { text } = best;
    this.#index.remember({ server, tool }, text);
    // A need is remembered once: further calls of the same tool say nothing new about it.
    const open = recent
      .map(({ at, needs }) => ({ at, needs: needs.filter((need) => need.text !== text) }))
      .filter(({ needs }) => needs.length > 0);
    if (open.length > 0) this.#searches.set(client, open);
    else this.#searches.delete(client);
    this.#changed();
  }

  #search(need: string, server: string | undefined): readonly SearchResult[] {
    return this.#index.search(need, { limit: LOWEST_RANK, ...(server !== undefined && { server }) });
  }

  #recent(client: string): readonly RecentSearch[] {
    const now = this.#now();
    return (this.#searches.get(client) ?? []).filter(({ at }) => now - at < FORGET_MS);
  }
}

function needsIn(query: string | readonly string[]): readonly string[] {
  const lines = typeof query === 'string' ? query.slice(0, MAX_NEEDS * MAX_NEED_CHARACTERS).split('\n') : query;
  return lines
    .slice(0, MAX_NEEDS)
    .map((need) => need.slice(0, MAX_NEED_CHARACTERS).trim())
    .filter(Boolean);
}
