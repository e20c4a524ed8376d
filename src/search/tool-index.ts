import { answerNeed, type RankingResources } from './answer-query.js';
import { type Embedder, type VectorCache, Vectors } from './embedder.js';
import { FieldAverages } from './field-averages.js';
import {
  buildSegment,
  MAX_SEGMENT_TOOLS,
  mergeSegments,
  type Segment,
  type StoredTool,
  ToolState,
  weigh,
} from './index-segment.js';
import { needsIn } from './parse-query.js';
import { type Corpus, Ranking } from './ranking.js';
import type { IndexedTool, RememberedUse, SearchOptions, SearchResult } from './search-types.js';
import { SimilarNeeds } from './similar-needs.js';
import { synonymWords } from './synonyms.js';
import { eachWord } from './tokenize.js';
import { parseUses, UsageMemory } from './usage-memory.js';
import { Vocabulary } from './vocabulary.js';

export interface ToolIndex {
  /** Adds tools. If a server is known already, its new tools replace all its old ones. */
  add(tools: readonly IndexedTool[]): void;
  remove(server: string): void;
  /**
   * Records that a tool met a need, or was abandoned for it. Pass only the text of the query, never text from a server.
   * Beyond a number of uses in one day nothing is recorded.
   */
  remember(
    tool: { readonly server: string; readonly tool: string },
    query: string,
    outcome?: 'met' | 'abandoned',
  ): void;
  /** Finds tools, best first. Several needs, as a list or one on each line, take turns in the answer. */
  search(query: string | readonly string[], options?: SearchOptions): readonly SearchResult[];
  /** Waits for the vectors of a query, at most for the given time. Waits for the model to load only if `isPatient`. */
  prepare(query: string | readonly string[], limitMs: number, isPatient?: boolean): Promise<void>;
  /** All remembered uses, to be stored by the caller. */
  memory(): RememberedUse[];
  /** Replaces all remembered uses by stored ones; invalid entries are skipped. */
  recall(uses: unknown): void;
  /** Settles when the embedder has finished all vectors. A search does not wait for it. */
  embedded(): Promise<void>;
}

export interface ToolIndexOptions {
  readonly now?: () => number;
  readonly embedder?: Embedder;
  /** The cache for the vectors of tools. */
  readonly vectors?: VectorCache;
}

/** Creates a search index in memory. It reads and writes no files. */
export function createToolIndex(tools: readonly IndexedTool[] = [], options: ToolIndexOptions = {}): ToolIndex {
  const index = new SegmentedIndex(options);
  index.add(tools);
  return index;
}

/** Further segments are merged, the smallest first, because each word is looked up in every segment. */
const MAX_SEGMENTS = 12;
const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;
const MAX_DESCRIPTION = 200;

class SegmentedIndex implements ToolIndex {
  readonly #memory: UsageMemory;
  readonly #means: RankingResources;
  #segments: readonly Segment[] = [];
  /** Undefined after a change of the tools or the uses. */
  #similar: SimilarNeeds | undefined;
  readonly #averages = new FieldAverages();

  constructor({ now = Date.now, embedder, vectors }: ToolIndexOptions) {
    this.#memory = new UsageMemory(now);
    this.#means = {
      vocabulary: new Vocabulary(synonymWords()),
      ranking: new Ranking(),
      vectors: embedder && new Vectors<StoredTool>(embedder, vectors),
    };
  }

  add(tools: readonly IndexedTool[]): void {
    const byServer = new Map<string, Map<string, IndexedTool>>();
    for (const tool of tools) {
      const known = byServer.get(tool.server) ?? new Map<string, IndexedTool>();
      if (!known.has(tool.name)) known.set(tool.name, tool);
      byServer.set(tool.server, known);
    }
    for (const server of byServer.keys()) this.#bury(server);
    const ordered = [...byServer.values()].flatMap((own) => [...own.values()]);
    const fresh: Segment[] = [];
    for (let at = 0; at < ordered.length; at += MAX_SEGMENT_TOOLS)
      fresh.push(buildSegment(ordered.slice(at, at + MAX_SEGMENT_TOOLS), this.#means.vocabulary));
    for (const { lengths } of fresh) this.#averages.add(lengths);
    for (const { tools: stored } of fresh) for (const tool of stored) this.#means.vectors?.wantTool(tool, textOf(tool));
    this.#segments = this.#tidied([...this.#segments, ...fresh]);
    this.#similar = undefined;
  }

  remove(server: string): void {
    this.#bury(server);
    this.#segments = this.#tidied(this.#segments);
    this.#similar = undefined;
  }

  remember(
    { server, tool }: { readonly server: string; readonly tool: string },
    query: string,
    outcome: 'met' | 'abandoned' = 'met',
  ): void {
    this.#memory.remember({ server, tool, query, ...(outcome === 'abandoned' && { abandoned: true }) });
    this.#similar = undefined;
  }

  memory(): RememberedUse[] {
    return this.#memory.all();
  }

  recall(uses: unknown): void {
    this.#memory.clear();
    for (const use of parseUses(uses)) this.#memory.add(use);
    this.#similar = undefined;
  }

  async prepare(query: string | readonly string[], limitMs: number, isPatient = false): Promise<void> {
    const { vectors } = this.#means;
    if (!vectors) return;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs);
    });
    await Promise.race([vectors.ready(needsIn(query), isPatient), limit]);
    clearTimeout(timer);
  }

  async embedded(): Promise<void> {
    await this.#means.vectors?.idle();
  }

  search(query: string | readonly string[], options: SearchOptions = {}): readonly SearchResult[] {
    const needs = needsIn(query);
    const limit = limitOf(options.limit, needs.length);
    const { server, includeDisabled = false } = options;
    const averages = this.#averages.rounded();
    for (const segment of this.#segments) weigh(segment, averages);
    const similar = this.#similar ?? new SimilarNeeds(this.#memory, this.#segments, this.#means.vocabulary);
    this.#similar = similar;
    const corpus: Corpus = {
      segments: this.#segments,
      vocabulary: this.#means.vocabulary,
      size: this.#segments.reduce((sum, { tools }) => sum + tools.length, 0),
      averageWords: averages.reduce((sum, one) => sum + one, 0),
      includeDisabled,
      server,
    };
    return takeTurns(
      needs.map((need) => answerNeed(need, corpus, limit, this.#means, similar)),
      limit,
    );
  }

  /** Marks the tools of a server as removed. They keep their places until their segment is merged. */
  #bury(server: string): void {
    for (const segment of this.#segments) {
      for (const range of segment.servers) {
        if (range.server !== server) continue;
        for (let place = range.start; place < range.end; place += 1) {
          if (segment.states[place] === ToolState.removed) continue;
          segment.states[place] = ToolState.removed;
          segment.removed += 1;
          this.#averages.remove(segment.lengths, place);
        }
      }
    }
  }

  #tidied(segments: readonly Segment[]): readonly Segment[] {
    const kept = segments
      .filter(({ removed, tools }) => removed < tools.length)
      .map((segment) => (segment.removed * 2 > segment.tools.length ? mergeSegments([segment]) : segment));
    if (kept.length <= MAX_SEGMENTS) return kept;
    const bySize = kept.toSorted((a, b) => a.tools.length - b.tools.length);
    const small = bySize.slice(0, MAX_SEGMENTS / 2);
    if (small.reduce((sum, { tools }) => sum + tools.length, 0) > MAX_SEGMENT_TOOLS) return kept;
    return [...bySize.slice(small.length), mergeSegments(small)];
  }
}

/** The text of a tool for the embedder. */
function textOf({ server, name, description = '' }: StoredTool): string {
  const words: string[] = [];
  eachWord(name, (word) => words.push(word));
  return `${server} ${words.join(' ')}: ${description.slice(0, MAX_DESCRIPTION)}`;
}

/** Without a given limit, each need has a place. */
function limitOf(asked: number | undefined, needs: number): number {
  return asked === undefined || Number.isNaN(asked)
    ? Math.max(DEFAULT_LIMIT, needs)
    : Math.floor(Math.max(1, Math.min(MAX_LIMIT, asked)));
}

/** The best tool for each need, then the second best for each, and so on. */
function takeTurns(answers: readonly (readonly SearchResult[])[], limit: number): readonly SearchResult[] {
  const only = answers[0];
  if (only && answers.length === 1) return only;
  const taken = new Map<string, SearchResult>();
  const depth = Math.max(0, ...answers.map(({ length }) => length));
  for (let turn = 0; turn < depth; turn += 1) {
    for (const answer of answers) {
      const result = answer[turn];
      if (!result || taken.size >= limit) continue;
      const key = JSON.stringify([result.server, result.tool]);
      if (!taken.has(key)) taken.set(key, result);
    }
  }
  return [...taken.values()];
}
