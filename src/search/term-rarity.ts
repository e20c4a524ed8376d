import { placeOfTerm, type Segment } from './index-segment.js';
import type { TermId } from './vocabulary.js';

/** How many tools have a term. */
export function frequency(term: TermId, segments: readonly Segment[]): number {
  let count = 0;
  for (const segment of segments) {
    const at = placeOfTerm(segment, term);
    if (at >= 0) count += (segment.starts[at + 1] ?? 0) - (segment.starts[at] ?? 0);
  }
  return count;
}

/** The inverse document frequency: the fewer tools have a word, the more it tells them apart. */
export function rarity(count: number, size: number): number {
  return Math.log(1 + (size - Math.min(count, size) + 0.5) / (count + 0.5));
}
