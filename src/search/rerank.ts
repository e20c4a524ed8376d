import { likeness, type Vectors } from './embedder.js';
import type { StoredTool } from './index-segment.js';
import type { QueryWord } from './parse-query.js';
import type { Corpus, RankedTool } from './ranking.js';
import { WEIGHTS } from './ranking-weights.js';
import type { TermId } from './vocabulary.js';

/** As many of a server's tools speak for the others. */
const WITNESSES = 3;

/** A tool whose whole name is in the need is meant more likely than one of whose name a part is. */
export function addNameCover(candidates: readonly RankedTool[], words: readonly QueryWord[]): void {
  const asked = new Map<TermId, number>();
  for (const { terms, weight } of words) {
    const most = Math.min(1, weight * 2);
    for (const { term, weight: own } of terms) asked.set(term, Math.max(asked.get(term) ?? 0, own * most));
  }
  for (const candidate of candidates) {
    const { nameTerms, nameStarts } = candidate.segment;
    const start = nameStarts[candidate.local] ?? 0;
    const end = nameStarts[candidate.local + 1] ?? 0;
    let covered = 0;
    for (let at = start; at < end; at += 1) covered += asked.get(nameTerms[at] ?? 0) ?? 0;
    if (covered > 0) candidate.score *= 1 + (WEIGHTS.nameCover * covered) / (end - start);
  }
}

/** Where one tool of a server fits, its others do sooner than a stranger; few of them count, so that size alone wins nothing. */
export function addServer(candidates: readonly RankedTool[]): void {
  const witnesses = new Map<string, number[]>();
  for (const { tool, score } of candidates) {
    const scores = witnesses.get(tool.server) ?? [];
    scores.push(score);
    scores.sort((a, b) => b - a);
    scores.length = Math.min(scores.length, WITNESSES);
    witnesses.set(tool.server, scores);
  }
  for (const candidate of candidates) {
    const scores = witnesses.get(candidate.tool.server) ?? [];
    const others = scores.reduce((sum, score) => sum + score, 0) - candidate.score;
    candidate.score += (WEIGHTS.server * Math.max(0, others)) / (WITNESSES - 1);
  }
}

/** Mixes in what a model says, as far as it has said anything: both sides normalised, since their scales have nothing in common. */
export function addLikeness(
  need: string,
  candidates: RankedTool[],
  { segments, allows }: Corpus,
  vectors: Vectors<StoredTool>,
): void {
  const asked = vectors.ofNeed(need);
  if (!asked) return;
  const alike: RankedTool[] = [];
  let base = 0;
  for (const segment of segments) {
    segment.tools.forEach((tool, local) => {
      const vector = segment.alive[local] === 1 ? vectors.ofTool(tool) : undefined;
      if (vector && allows(tool))
        alike.push({ place: base + local, tool, segment, local, score: likeness(asked, vector) });
    });
    base += segment.tools.length;
  }
  alike.sort((a, b) => b.score - a.score);
  const scale = Math.max(0, ...candidates.map(({ score }) => score), alike[0]?.score ?? 0);
  const most = Math.max(0, ...candidates.map(({ score }) => score)) || 1;
  const shares = shareOf(alike);
  const known = new Set(candidates.map(({ place }) => place));
  for (const candidate of candidates)
    candidate.score = mixed(candidate.score / most, shares.get(candidate.place), scale);
  for (const candidate of alike.slice(0, NEW_BY_LIKENESS)) {
    const share = shares.get(candidate.place) ?? 0;
    if (share === 0 || known.has(candidate.place)) continue;
    candidate.score = mixed(0, share, scale);
    candidates.push(candidate);
  }
}

const NEW_BY_LIKENESS = 20;
/** What lies this far down is unlike; the best is 1. */
const UNLIKE_PLACE = 100;

function shareOf(alike: readonly RankedTool[]): ReadonlyMap<number, number> {
  const best = alike[0]?.score ?? 0;
  const least = alike[Math.min(alike.length - 1, UNLIKE_PLACE)]?.score ?? 0;
  const range = best - least || 1;
  return new Map(alike.map(({ place, score }) => [place, Math.max(0, (score - least) / range)]));
}

/** A tool that the model has not read yet is judged by its words alone. */
function mixed(words: number, likeness: number | undefined, scale: number): number {
  const share = likeness === undefined ? words : (1 - WEIGHTS.likeness) * words + WEIGHTS.likeness * likeness;
  return share * scale;
}
