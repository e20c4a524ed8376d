import { namesSeveralNeeds, type SearchResult, type ToolIndex } from '../search/index.js';
import type { JoinedUses } from './usage-file.js';

type ToolName = Pick<SearchResult, 'server' | 'tool'>;

/** What a client did with a tool that it found. */
interface Trial extends ToolName {
  readonly calls: number;
  readonly outcome: 'worked' | 'abandoned';
}

/** One need of a search, and the best tools for it when the search was made, best first. */
interface Need {
  readonly text: string;
  readonly found: readonly ToolName[];
  /** A need with several clauses can be met by several tools, none of which replaces another. */
  readonly isSingle: boolean;
  /** By rank. */
  readonly tried: Map<number, Trial>;
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
 * Learns which tool met a need, from a search and the calls of the same client after it. A tool counts up if its call
 * succeeded, and down if it was abandoned: the call failed, or the client called it once and then another tool of the
 * same answer. Text from servers has no influence. All searching is done with the search itself, so that a call costs
 * the same before and after it.
 */
export class SearchFeedback {
  readonly #index: ToolIndex;
  readonly #isOn: () => boolean;
  readonly #uses: Pick<JoinedUses, 'refresh' | 'changed'>;
  readonly #now: () => number;
  /** By client; the client that searched last is the last entry. */
  readonly #searches = new Map<string, readonly RecentSearch[]>();

  constructor(
    index: ToolIndex,
    isOn: () => boolean,
    uses: Pick<JoinedUses, 'refresh' | 'changed'>,
    now: () => number = Date.now,
  ) {
    this.#index = index;
    this.#isOn = isOn;
    this.#uses = uses;
    this.#now = now;
  }

  /** Call before a search, so that it ranks by what other processes have learned. */
  prepare(): void {
    this.#uses.refresh(this.#isOn());
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
      isSingle: !namesSeveralNeeds(text),
      tried: new Map<number, Trial>(),
    }));
    const earlier = this.#recent(client).slice(1 - MAX_SEARCHES_PER_CLIENT);
    this.#searches.delete(client);
    this.#searches.set(client, [...earlier, { at: this.#now(), needs: answers }]);
    for (const oldest of this.#searches.keys()) {
      if (this.#searches.size <= MAX_CLIENTS) return;
      this.#searches.delete(oldest);
    }
  }

  /** A call ended: it counts for the need for which the tool had the best rank, if the client searched for one. */
  called(client: string, server: string, tool: string, outcome: 'ok' | 'failed'): void {
    if (!this.#isOn() || !this.#searches.has(client)) return;
    const recent = this.#recent(client);
    if (recent.length === 0) this.#searches.delete(client);
    const place = bestPlace(recent, server, tool);
    if (!place) return;
    const { need, rank } = place;
    const before = need.tried.get(rank);
    const calls = (before?.calls ?? 0) + 1;
    if (before?.outcome === 'worked') {
      // A tool that met the need may fail later for another reason.
      need.tried.set(rank, { ...before, calls });
      return;
    }
    if (outcome === 'ok') {
      if (!before) this.#abandonOthers(need);
      this.#index.remember({ server, tool }, need.text);
    } else if (!before) this.#index.remember({ server, tool }, need.text, 'abandoned');
    need.tried.set(rank, { server, tool, calls, outcome: outcome === 'ok' ? 'worked' : 'abandoned' });
    this.#uses.changed();
  }

  /** The client called each of these once and then took another tool for the same need. */
  #abandonOthers(need: Need): void {
    if (!need.isSingle) return;
    for (const [rank, trial] of need.tried) {
      if (trial.calls > 1 || trial.outcome !== 'worked') continue;
      need.tried.set(rank, { ...trial, outcome: 'abandoned' });
      this.#index.remember(trial, need.text, 'abandoned');
    }
  }

  #search(need: string, server: string | undefined): readonly SearchResult[] {
    return this.#index.search(need, { limit: LOWEST_RANK, ...(server !== undefined && { server }) });
  }

  #recent(client: string): readonly RecentSearch[] {
    const now = this.#now();
    return (this.#searches.get(client) ?? []).filter(({ at }) => now - at < FORGET_MS);
  }
}

/**
 * The need for which a tool had the best rank, and this rank; of equal ones the latest. A need that the tool has met
 * already counts only if there is no other.
 */
function bestPlace(
  recent: readonly RecentSearch[],
  server: string,
  tool: string,
): { readonly need: Need; readonly rank: number } | undefined {
  const places = recent
    .flatMap(({ needs }) => needs)
    .flatMap((need) => {
      const rank = need.found.findIndex((one) => one.tool === tool && one.server === server);
      return rank < 0 ? [] : [{ need, rank, isMet: need.tried.get(rank)?.outcome === 'worked' }];
    })
    .reverse();
  return places.sort((a, b) => Number(a.isMet) - Number(b.isMet) || a.rank - b.rank)[0];
}

function needsIn(query: string | readonly string[]): readonly string[] {
  const lines = typeof query === 'string' ? query.slice(0, MAX_NEEDS * MAX_NEED_CHARACTERS).split('\n') : query;
  return lines
    .slice(0, MAX_NEEDS)
    .map((need) => need.slice(0, MAX_NEED_CHARACTERS).trim())
    .filter(Boolean);
}
