import type { Vectors } from './embedder.js';
import { isSpelledAs, type NamedAs, namedPlaces } from './exact-name.js';
import type { StoredTool } from './index-segment.js';
import { clausesOf, NeedReader, type QueryWord } from './parse-query.js';
import { byScore, type Corpus, type RankedTool, type Ranking } from './ranking.js';
import { WEIGHTS } from './ranking-weights.js';
import { addLikeness, addNameCover, addServer } from './rerank.js';
import type { SearchResult } from './search-types.js';
import { eachWord } from './tokenize.js';
import { summaryOf } from './tool-summary.js';
import type { Vocabulary } from './vocabulary.js';

/** What answers are made with; it belongs to one index. */
export interface RankingResources {
  readonly vocabulary: Vocabulary;
  readonly ranking: Ranking;
  readonly vectors: Vectors<StoredTool> | undefined;
}

/** Below this the best that was found is more likely chance than help. */
const WEAK = 0.2;
/** What is further down for a part of a need does not come up for the whole. */
const MAX_FOR_CLAUSE = 32;
const EXPLAINED_CHARACTERS = 600;

/** The tools for one need, the best first. */
export function answerNeed(
  need: string,
  corpus: Corpus,
  limit: number,
  means: RankingResources,
): readonly SearchResult[] {
  const reader = new NeedReader(means.vocabulary);
  const words = reader.read(need);
  const { candidates, full } = means.ranking.rank(words, corpus);
  addClauses(need, candidates, corpus, means.ranking, reader);
  for (const candidate of candidates) candidate.score /= full || 1;
  addNameCover(candidates, words);
  addServer(candidates);
  if (means.vectors) addLikeness(need, candidates, corpus, means.vectors);
  const named = namedPlaces(need, corpus.segments);
  addNamed(candidates, named, corpus);
  const precedence = ({ place, tool }: RankedTool): number => {
    const as = named.get(place);
    if (as === undefined) return 0;
    return (as === 'tool' ? 2 : 1) + (isSpelledAs(need, tool) ? 0.5 : 0);
  };
  return candidates
    .sort((a, b) => precedence(b) - precedence(a) || byScore(a, b))
    .slice(0, limit)
    .map(({ tool, ...candidate }) => {
      const relevance = named.has(candidate.place) ? 1 : Math.min(1, candidate.score);
      return {
        server: tool.server,
        tool: tool.name,
        summary: summaryOf(tool.description),
        relevance: Math.round(relevance * 100) / 100,
        tags: tool.tags ?? [],
        ...(relevance < WEAK && { weak: true as const }),
        why: wordsInCommon(tool, words, means.vocabulary),
      };
    });
}

/** A tool that meets one part of a long need is not to lose against one that has a little of all. */
function addClauses(
  need: string,
  candidates: RankedTool[],
  corpus: Corpus,
  ranking: Ranking,
  reader: NeedReader,
): void {
  const clauses = clausesOf(need);
  if (clauses.length === 0) return;
  const best = new Map<number, RankedTool>();
  for (const clause of clauses) {
    for (const candidate of ranking.rank(reader.read(clause), corpus, MAX_FOR_CLAUSE).candidates) {
      const other = best.get(candidate.place);
      if (!other || other.score < candidate.score) best.set(candidate.place, candidate);
    }
  }
  for (const candidate of candidates) {
    const part = best.get(candidate.place)?.score ?? 0;
    candidate.score = (1 - WEIGHTS.clause) * candidate.score + WEIGHTS.clause * part;
    best.delete(candidate.place);
  }
  for (const candidate of best.values()) {
    candidate.score *= WEIGHTS.clause;
    candidates.push(candidate);
  }
}

/** What is named is there, also where none of its words counts for anything. */
function addNamed(candidates: RankedTool[], named: ReadonlyMap<number, NamedAs>, { segments, allows }: Corpus): void {
  if (named.size === 0) return;
  const present = new Set(candidates.map(({ place }) => place));
  let base = 0;
  for (const segment of segments) {
    for (const place of named.keys()) {
      const local = place - base;
      const tool = segment.tools[local];
      if (!tool || present.has(place) || segment.alive[local] === 0 || !allows(tool)) continue;
      candidates.push({ place, tool, segment, local, score: 0 });
    }
    base += segment.tools.length;
  }
}

/** The words for which a tool was found, as it writes them, so that they can be marked. */
function wordsInCommon(tool: StoredTool, words: readonly QueryWord[], vocabulary: Vocabulary): readonly string[] {
  const wanted = new Set(words.flatMap(({ terms }) => terms.map(({ term }) => term)));
  const found = new Set<string>();
  const texts = [tool.name, tool.server, ...(tool.tags ?? []), (tool.description ?? '').slice(0, EXPLAINED_CHARACTERS)];
  for (const text of texts) {
    eachWord(text, (word) => {
      const term = vocabulary.findWord(word);
      if (term !== undefined && wanted.has(term)) found.add(word);
    });
  }
  return [...found];
}
