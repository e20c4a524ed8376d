import { z } from 'zod';

/** How near to the user's hands a definition was written. */
export const Scope = z.enum([
  'user',
  'project',
  'local',
  'plugin',
  'managed',
  'profile',
  'extension',
  'agent',
  'server',
  'dynamic',
  'claudeai',
  'running',
]);
export type Scope = z.infer<typeof Scope>;

export const Transport = z.enum(['stdio', 'http', 'sse', 'ws', 'socket', 'auto', 'sdk', 'claudeai-proxy']);
export type Transport = z.infer<typeof Transport>;

/** What the client that owns the file would do with the entry. */
export const State = z.enum([
  'ready',
  'disabled',
  'pending-approval',
  'rejected',
  'blocked-by-policy',
  'needs-input',
  'client-ignores',
  'inventory-only',
]);
export type State = z.infer<typeof State>;

const Strings = z.record(z.string(), z.string()).readonly();

/** What starts or reaches a server, field for field. */
export const LaunchFields = z.strictObject({
  command: z.string().min(1).exactOptional(),
  args: z.array(z.string()).readonly().exactOptional(),
  env: Strings.exactOptional(),
  cwd: z.string().exactOptional(),
  url: z.string().min(1).exactOptional(),
  headers: Strings.exactOptional(),
});
export type LaunchFields = z.infer<typeof LaunchFields>;

/** What an entry says about signing in, in the words of the client that it was written for. */
const OAuthFields = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

/** The same as it stands in a file, with the file of variables that it names and what it says about signing in. */
export const WrittenFields = z.strictObject({
  ...LaunchFields.shape,
  envFile: z.string().exactOptional(),
  oauth: OAuthFields.exactOptional(),
});
export type WrittenFields = z.infer<typeof WrittenFields>;

/** A question that the owning client asks before it starts the server. */
export const Input = z.strictObject({
  id: z.string(),
  type: z.string().exactOptional(),
  description: z.string().exactOptional(),
  password: z.boolean().exactOptional(),
});
export type Input = z.infer<typeof Input>;

/** One entry in one file, as its own client understands it. */
export const Definition = z.strictObject({
  ...LaunchFields.shape,
  name: z.string().min(1),
  client: z.string().min(1),
  scope: Scope,
  source: z.string().min(1),
  line: z.int().positive(),
  transport: Transport,
  state: State,
  enabled: z.boolean(),
  /** Within one client and scope the higher number holds. */
  precedence: z.number(),
  /** The launch as it stands in the file, references unexpanded: the only form that is ever stored. */
  written: WrittenFields,
  timeoutMs: z.number().positive().exactOptional(),
  startupTimeoutMs: z.number().positive().exactOptional(),
  tools: z
    .strictObject({
      allow: z.array(z.string()).readonly().exactOptional(),
      deny: z.array(z.string()).readonly().exactOptional(),
    })
    .exactOptional(),
  missing: z.array(z.string()).readonly().exactOptional(),
  inputs: z.array(Input).readonly().exactOptional(),
  envFile: z.string().exactOptional(),
  description: z.string().exactOptional(),
  /** The gateway that the entry starts: its tools are other servers' tools. */
  nestedGateway: z.string().exactOptional(),
  /** Which generation of the protocol the server speaks, where its entry says so. */
  era: z.enum(['legacy', 'modern']).exactOptional(),
  headersHelper: z.string().exactOptional(),
  oauth: OAuthFields.exactOptional(),
  authToken: z.string().exactOptional(),
  ide: z.strictObject({ name: z.string(), runningInWindows: z.boolean() }).exactOptional(),
  /** The connector's id, where a hosted proxy needs one; of a running server that cannot be reached, what it is announced under. */
  id: z.string().exactOptional(),
  /** The fingerprint of the launch that a running server says it came from. */
  standsFor: z.string().exactOptional(),
});
export type Definition = z.infer<typeof Definition>;
