/** The two protocol eras: with an `initialize` handshake and a session, or stateless with all facts in each request. */
export type Era = 'legacy' | 'modern';

/** The eras that a server supports; absent as long as it is not known. */
export type SupportedEras = Partial<Readonly<Record<Era, boolean>>>;

/** The revisions with an `initialize` handshake, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;
/** The stateless revision, which every request names. */
export const MODERN_VERSION = '2026-07-28';
export const UNSUPPORTED_VERSION = -32022;

/** The keys of `_meta` in requests, responses and notifications. */
export const META = {
  prefix: 'io.modelcontextprotocol/',
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  server: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The client capability that each server request requires. */
export const CAPABILITY_FOR: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
};
