import { z } from 'zod';
import { Definition, LaunchFields, Scope, State, Transport } from './definition.js';
import { Problem } from './problem.js';

export const Origin = z.strictObject({
  client: z.string(),
  scope: Scope,
  source: z.string(),
  line: z.int().positive(),
});
export type Origin = z.infer<typeof Origin>;

/** One server as Portolan would run it, and every place that speaks of it. */
export const Server = z.strictObject({
  ...LaunchFields.shape,
  name: z.string().min(1),
  alias: z.string().regex(/^[a-z_][a-z0-9_]*$/),
  state: State,
  transport: Transport,
  source: z.string(),
  origins: z.array(Origin).readonly(),
  shadowed: z.array(Origin).readonly(),
  fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
  /** The rule that keeps it from running. */
  rule: z.string().exactOptional(),
  /** What it is called in its file, where another server had that name first. */
  renamedFrom: z.string().exactOptional(),
  /** Where it runs already and is used, so that it is not started a second time. */
  runsAt: z.string().exactOptional(),
});
export type Server = z.infer<typeof Server>;

/** Everything found on the machine, and what is wrong with it. */
export const Chart = z.strictObject({
  definitions: z.array(Definition).readonly(),
  servers: z.array(Server).readonly(),
  problems: z.array(Problem).readonly(),
});
export type Chart = z.infer<typeof Chart>;
