import type { Problem } from '../model/index.js';

/** A problem before it is known where it stands. */
export type ProblemDraft = Pick<Problem, 'code' | 'severity' | 'message' | 'hint'>;
