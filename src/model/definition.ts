import { z } from 'zod';

/** The place where a definition was written. */
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

/** How the client that owns the file treats the entry. */
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

/** The fields that determine how a server is started or reached. */
export const LaunchFields = z.strictObject({
  command: z.string().min(1).exactOptional(),
  args: z.array(z.string()).readonly().exactOptional(),
  env: Strings.exactOptional(),
  cwd: z.string().exactOptional(),
  url: z.string().min(1).exactOptional(),
  headers: Strings.exactOptional(),
});
export type LaunchFields = z.infer<typeof LaunchFields>;

/** The sign-in settings of an entry, in the notation of its client. */
const OAuthFields = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

/** The fields as written in the file, with the env file and the sign-in settings. */
export const WrittenFields = z.strictObject({
  ...LaunchFields.shape,
  envFile: z.string().exactOptional(),
  oauth: OAuthFields.exactOptional(),
});
export type WrittenFields = z.infer<typeof WrittenFields>;

/** A value that the owning client asks the user for before it starts the server. */
export const Input = z.strictObject({
  id: z.string(),
  type: z.string().exactOptional(),
  description: z.string().exactOptional(),
  password: z.boolean().exactOptional(),
});
export type Input = z.infer<typeof Input>;

/** One entry in one file, as its client interprets it. */
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
  /** Within one client and scope, the definition with the higher number is active. */
  precedence: z.number(),
  /** The launch as written in the file, references unexpanded: only this form is stored. */
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
  /** A take-over disabled or moved the entry: only Portolan starts the server. */
  takenOver: z.literal(true).exactOptional(),
  /** Its client is not installed, and another client reads the same entry. */
  clientIsAbsent: z.literal(true).exactOptional(),
  envFile: z.string().exactOptional(),
  description: z.string().exactOptional(),
  /** The gateway that the entry starts: its tools are those of other servers. */
  nestedGateway: z.string().exactOptional(),
  /** The protocol era of the server, if the entry states it. */
  era: z.enum(['legacy', 'modern']).exactOptional(),
  headersHelper: z.string().exactOptional(),
  oauth: OAuthFields.exactOptional(),
  authToken: z.string().exactOptional(),
  ide: z.strictObject({ name: z.string(), runningInWindows: z.boolean() }).exactOptional(),
  /**
   * The connector's id, if a hosted proxy needs one; for a running server that cannot be reached, its id in the
   * registry.
   */
  id: z.string().exactOptional(),
  /** The fingerprint of the launch from which a running server says it was started. */
  standsFor: z.string().exactOptional(),
});
export type Definition = z.infer<typeof Definition>;
