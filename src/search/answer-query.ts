import type { Vectors } from './embedder.js';
import { isSpelledAs, namedPlaces } from './exact-name.js';
import type { StoredTool } from './index-segment.js';
import { type ParsedQuery, parseQuery } from './parse-query.js';
import type { Corpus, RankedTool, Ranking } from './ranking.js';
import { scoreShares } from './score-shares.js';
import type { SearchResult } from './search-types.js';
import type { SimilarNeeds } from './similar-needs.js';
import { eachWord } from './tokenize.js';
import { summaryOf } from './tool-summary.js';
import type { Vocabulary } from './vocabulary.js';

/** What an index needs to answer queries. */
export interface RankingResources {
  readonly vocabulary: Vocabulary;
  readonly ranking: Ranking;
  readonly vectors: Vectors<StoredTool> | undefined;
}

/** If no tool reaches this relevance, the answer is empty. */
const MIN_RELEVANCE = 0.2;
/** A tool with a smaller relevance is marked as weak. */
const WEAK = 0.3;
/** Tools with few words match less of any need. */
const MIN_RELEVANCE_FEW_WORDS = 0.13;
const FEW_WORDS = 25;
const EXPLAINED_CHARACTERS = 600;

/** The tools for one need, best first; none if no tool meets it. */
export function answerNeed(
  need: string,
  corpus: Corpus,
  limit: number,
  { vocabulary, ranking, vectors }: RankingResources,
  similar: SimilarNeeds,
): readonly SearchResult[] {
  const query = parseQuery(need, vocabulary);
  const named = namedPlaces(need, corpus.segments);
  const uses = similar.toolsFor(query);
  const ranked = ranking.rank(query, corpus, limit, {
    named: named.keys(),
    uses,
    cosineOf: vectors?.cosinesWith(need),
  });
  const precedence = ({ place, tool }: RankedTool): number => {
    const as = named.get(place);
    if (as === undefined) return 0;
    return (as === 'tool' ? 2 : 1) + (isSpelledAs(need, tool) ? 0.5 : 0);
  };
  const shown = ranked.sort((a, b) => precedence(b) - precedence(a)).slice(0, limit);
  const least = corpus.averageWords < FEW_WORDS ? MIN_RELEVANCE_FEW_WORDS : MIN_RELEVANCE;
  const most = Math.max(0, ...shown.map(({ relevance }) => relevance));
  if (most < least && named.size === 0) return [];
  const best = Math.max(...shown.map(({ score }) => score)) || 1;
  return shown.map((result) => {
    const { place, tool, score } = result;
    // Falls with the rank. For the first result, it is the share of the need that the tool covers.
    const relevance = named.has(place) ? 1 : (most * score) / best;
    return {
      server: tool.server,
      tool: tool.name,
      summary: summaryOf(tool.description),
      relevance: round(relevance),
      tags: tool.tags ?? [],
      ...(!named.has(place) && result.relevance < WEAK && { weak: true as const }),
      why: wordsInCommon(tool, query, vocabulary),
      parts: scoreShares(result, query, corpus),
    };
  });
}

/** The words of a tool that match the query, as the tool writes them, so that they can be highlighted. */
function wordsInCommon(tool: StoredTool, { words }: ParsedQuery, vocabulary: Vocabulary): readonly string[] {
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

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
