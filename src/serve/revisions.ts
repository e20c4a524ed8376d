import { isObject, type Params, RpcError } from '../base/index.js';

/** The revisions that begin with `initialize`, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;
/** The stateless ones, in which every request says which it speaks. */
const MODERN_VERSIONS = ['2026-07-28'] as const;

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const SERVER_KEY = 'io.modelcontextprotocol/serverInfo';
const UNSUPPORTED_VERSION = -32022;
const LIST_TTL_MS = 5_000;

export type Era = 'legacy' | 'modern';

/** By what the request itself says. */
export function eraOf(params: Params): Era {
  const meta = params?._meta;
  const version = isObject(meta) ? meta[VERSION_KEY] : undefined;
  if (version === undefined) return 'legacy';
  if (MODERN_VERSIONS.some((known) => known === version)) return 'modern';
  throw new RpcError(UNSUPPORTED_VERSION, 'unsupported protocol version', {
    supported: MODERN_VERSIONS,
    requested: version,
  });
}

/** A result of the modern era says that it is one; of the other, nothing. */
export function complete(value: Readonly<Record<string, unknown>>, era: Era): Readonly<Record<string, unknown>> {
  return era === 'modern' ? { resultType: 'complete', ...value } : value;
}

/** How long the list may be kept: it is the same for everyone who sees these servers. */
export function listHints(era: Era): { ttlMs?: number; cacheScope?: 'private' } {
  return era === 'modern' ? { ttlMs: LIST_TTL_MS, cacheScope: 'private' } : {};
}

/** Who we are stands in `_meta`: that is where clients of this era look for it. */
export function discovery(serverInfo: object, instructions: string): Readonly<Record<string, unknown>> {
  return {
    supportedVersions: MODERN_VERSIONS,
    capabilities: { tools: { listChanged: true } },
    instructions,
    ...listHints('modern'),
    _meta: { [SERVER_KEY]: serverInfo },
  };
}
