import type { FoundTool } from '../../gateway/index.js';
import { notSearched } from './instructions.js';

const NOTHING_FITS = 'no result matches well';
const NOTHING_FOUND = 'no tool covers this need; try other words once, or do it without a tool';

/** Notes for the model if no result fits, so that it does not repeat the search in other words. */
export function notesOn([best]: readonly FoundTool[], isComplete: boolean, waiting: number): readonly string[] {
  if (best && !best.weak) return [];
  if (!best && isComplete && waiting === 0) return [NOTHING_FOUND];
  return [...(best ? [NOTHING_FITS] : []), ...(waiting > 0 ? [notSearched(waiting)] : [])];
}

/** The fields that a model needs to choose and call a tool: ten results take fewer than 600 tokens. */
export function shortResult({ server, tool, signature, summary, weak, tags, change, hidden }: FoundTool): object {
  return {
    ...{ server, tool, signature, summary },
    ...(weak && { weak }),
    ...(tags.length > 0 && { tags }),
    ...(change && { change }),
    ...(hidden && { hidden }),
  };
}
