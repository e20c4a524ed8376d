import type { Problem } from '../model/index.js';

/** A problem without its location. */
export type ProblemDraft = Pick<Problem, 'code' | 'severity' | 'message' | 'hint'>;
