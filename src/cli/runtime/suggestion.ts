import { nearest } from '../../base/index.js';

/** Text for a hint: the most similar of the accepted words, or nothing if none is similar. */
export function suggestion(written: string, accepted: Iterable<string>): string {
  const [meant] = nearest(written, accepted, 1);
  return meant === undefined ? '' : `did you mean ${meant}? `;
}
