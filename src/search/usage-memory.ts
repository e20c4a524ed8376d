import { type Segment, ToolState } from './index-segment.js';
import type { RememberedPostings } from './ranking.js';
import type { RememberedUse } from './search-types.js';
import { eachWord, nameKey } from './tokenize.js';
import { NO_TERM, type TermId, type Vocabulary } from './vocabulary.js';

export const MAX_USES_PER_TOOL = 8;
export const MAX_USES = 2_000;
const MAX_QUERY_CHARACTERS = 300;
const MAX_NAME_CHARACTERS = 512;
/** After this long a use counts half. */
const HALF_LIFE_MS = 90 * 24 * 60 * 60 * 1000;
const SATURATION = 1;
/** After ten half-lives nothing is left to count. */
const FORGOTTEN_MS = 10 * HALF_LIFE_MS;

/** The needs that tools have met, few for each tool and fading. */
export class UsageMemory {
  readonly #now: () => number;
  /** By server and tool, the latest use last; so the first tool is the one that was not used for longest. */
  readonly #byTool = new Map<string, RememberedUse[]>();
  /** What each use was read as, since all are asked for again after every new one. */
  readonly #terms = new WeakMap<RememberedUse, readonly TermId[]>();
  #count = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  add(use: RememberedUse): void {
    const query = use.query.slice(0, MAX_QUERY_CHARACTERS).trim();
    if (query === '' || use.server.length > MAX_NAME_CHARACTERS || use.tool.length > MAX_NAME_CHARACTERS) return;
    const at = Math.min(use.at, this.#now());
    if (this.#now() - at > FORGOTTEN_MS) return;
    const key = keyOf(use);
    const before = this.#byTool.get(key) ?? [];
    // The same words once more are not a second witness.
    const uses = before.filter((other) => other.query.toLowerCase() !== query.toLowerCase());
    uses.push({ server: use.server, tool: use.tool, query, at });
    uses.sort((a, b) => a.at - b.at);
    const kept = uses.slice(-MAX_USES_PER_TOOL);
    this.#byTool.delete(key);
    this.#byTool.set(key, kept);
    this.#count += kept.length - before.length;
    this.#forgetOldest();
  }

  all(): RememberedUse[] {
    return [...this.#byTool.values()].flat();
  }

  /** The tools that are there by the terms of the needs they met; a need counts the less the longer ago it was. */
  postings(segments: readonly Segment[], vocabulary: Vocabulary): RememberedPostings {
    const postings = new Map<TermId, { place: number; impact: number }[]>();
    for (const uses of this.#byTool.values()) {
      const place = placeOf(uses[0], segments);
      if (place < 0) continue;
      for (const [term, strength] of this.#strengths(uses, vocabulary)) {
        const found = postings.get(term) ?? [];
        found.push({ place, impact: strength / (strength + SATURATION) });
        postings.set(term, found);
      }
    }
    return postings;
  }

  #strengths(uses: readonly RememberedUse[], vocabulary: Vocabulary): ReadonlyMap<TermId, number> {
    const now = this.#now();
    const strengths = new Map<TermId, number>();
    for (const use of uses) {
      const strength = 2 ** (-Math.max(0, now - use.at) / HALF_LIFE_MS);
      const terms = this.#termsOf(use, vocabulary);
      for (const term of terms) strengths.set(term, (strengths.get(term) ?? 0) + strength);
    }
    return strengths;
  }

  #termsOf(use: RememberedUse, vocabulary: Vocabulary): readonly TermId[] {
    const known = this.#terms.get(use);
    if (known) return known;
    const terms = new Set<TermId>();
    eachWord(use.query, (word) => terms.add(vocabulary.learn(word)));
    terms.delete(NO_TERM);
    const found = [...terms];
    this.#terms.set(use, found);
    return found;
  }

  #forgetOldest(): void {
    for (const [key, uses] of this.#byTool) {
      if (this.#count <= MAX_USES) return;
      this.#byTool.delete(key);
      this.#count -= uses.length;
    }
  }
}

/** Uses as they were kept somewhere; what is no use is left out. */
export function parseUses(written: unknown): readonly RememberedUse[] {
  if (!Array.isArray(written)) return [];
  return written.slice(-MAX_USES).flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return [];
    if (!('server' in entry && 'tool' in entry && 'query' in entry && 'at' in entry)) return [];
    const { server, tool, query, at } = entry;
    if (typeof server !== 'string' || typeof tool !== 'string' || typeof query !== 'string') return [];
    if (typeof at !== 'number' || !Number.isFinite(at)) return [];
    return [{ server, tool, query, at }];
  });
}

function placeOf(use: RememberedUse | undefined, segments: readonly Segment[]): number {
  if (!use) return -1;
  const key = nameKey(use.server);
  let base = 0;
  for (const { serversByKey, tools, states } of segments) {
    for (const { server, start, end } of serversByKey.get(key) ?? []) {
      if (server !== use.server) continue;
      for (let place = start; place < end; place += 1)
        if (states[place] !== ToolState.removed && tools[place]?.name === use.tool) return base + place;
    }
    base += tools.length;
  }
  return -1;
}

function keyOf({ server, tool }: { readonly server: string; readonly tool: string }): string {
  return JSON.stringify([server, tool]);
}
