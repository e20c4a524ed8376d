import { impactOf } from './index-segment.js';
import type { ParsedQuery } from './parse-query.js';
import type { Corpus, RankedTool } from './ranking.js';
import type { ScoreParts } from './search-types.js';
import { frequency, rarity } from './term-rarity.js';

/** What each kind of evidence contributed to the score of a tool. */
export function scoreShares(result: RankedTool, query: ParsedQuery, corpus: Corpus): ScoreParts {
  const { words, meaning, use } = result;
  const sum = words + meaning + Math.abs(use) || 1;
  const server = serverShare(result, query, corpus);
  return {
    words: round(((1 - server) * words) / sum),
    semantics: round(meaning / sum),
    use: round(use / sum),
    server: round((server * words) / sum),
  };
}

/** How much of what the words count comes from the texts of the server and not of the tool itself. */
function serverShare({ segment, local }: RankedTool, { words }: ParsedQuery, { segments, size }: Corpus): number {
  let all = 0;
  let own = 0;
  for (const { weight, terms } of words) {
    let best = { gain: 0, share: 0 };
    for (const { term, factor } of terms) {
      const { impact, share } = impactOf(segment, term, local, ['server', 'serverText']);
      const gain = impact === 0 ? 0 : weight * factor * impact * rarity(frequency(term, segments), size);
      if (gain > best.gain) best = { gain, share };
    }
    all += best.gain;
    own += best.gain * best.share;
  }
  return own / (all || 1);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
