import { z } from 'zod';

export const Severity = z.enum(['error', 'warning', 'info']);
export type Severity = z.infer<typeof Severity>;

/** A fault in one file or entry, described so that its owner can fix it. */
export const Problem = z.strictObject({
  code: z.string().regex(/^[a-z][a-z-]+$/),
  severity: Severity,
  message: z.string().min(1),
  hint: z.string().min(1),
  source: z.string().exactOptional(),
  line: z.int().positive().exactOptional(),
  server: z.string().exactOptional(),
});
export type Problem = z.infer<typeof Problem>;
