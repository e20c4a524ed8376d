/** The two generations of the protocol: with a greeting and a session, or with everything in each request. */
export type Era = 'legacy' | 'modern';

/** The revisions that begin with `initialize`, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;
/** The stateless one, in which every request says that it speaks it. */
export const MODERN_VERSION = '2026-07-28';
export const UNSUPPORTED_VERSION = -32022;

/** What requests, answers and notifications say of themselves in `_meta`. */
export const META = {
  prefix: 'io.modelcontextprotocol/',
  version: 'io.modelcontextprotocol/protocolVersion',
  abilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  server: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** What a client must be able to do to be asked something. */
export const ABILITY_FOR: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
};
