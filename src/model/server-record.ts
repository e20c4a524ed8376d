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

/** One server as it is printed and returned, with the origins of all its definitions. */
export const ServerRecord = z.strictObject({
  ...LaunchFields.shape,
  name: z.string().min(1),
  alias: z.string().regex(/^[a-z_][a-z0-9_]*$/),
  state: State,
  transport: Transport,
  source: z.string(),
  origins: z.array(Origin).readonly(),
  shadowed: z.array(Origin).readonly(),
  fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
  /** The rule that blocks it. */
  rule: z.string().exactOptional(),
  /** Its name in the file, if another server already had that name. */
  renamedFrom: z.string().exactOptional(),
  /** The address at which it already runs, so that it is not started a second time. */
  runsAt: z.string().exactOptional(),
  /** The clients that still start it by themselves. */
  startedBy: z.array(z.string()).readonly().exactOptional(),
});
export type ServerRecord = z.infer<typeof ServerRecord>;

/** The result of a scan: everything found on the machine, and its problems. */
export const ScanResult = z.strictObject({
  definitions: z.array(Definition).readonly(),
  servers: z.array(ServerRecord).readonly(),
  problems: z.array(Problem).readonly(),
});
export type ScanResult = z.infer<typeof ScanResult>;
