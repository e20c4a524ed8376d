import { type Answer, isObject, type Params, RpcCode, RpcError } from '../base/index.js';
import { objectOf } from './answers.js';
import type { Era } from './era.js';
import type { Introduction } from './face.js';

/** The revisions that begin with `initialize`, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;
/** The stateless ones, in which every request says which it speaks. */
export const MODERN_VERSIONS = ['2026-07-28'] as const;

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const ABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const SERVER_KEY = 'io.modelcontextprotocol/serverInfo';
const UNSUPPORTED_VERSION = -32022;
const LIST_TTL_MS = 5_000;
/** What a client may keep for a while, and is told for how long. */
const CACHEABLE: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** Whether a request says that it is of the stateless era, rightly or not. */
export function isModern(params: Params): boolean {
  return isObject(params?._meta) && params._meta[VERSION_KEY] !== undefined;
}

/** By what the request itself says. */
export function eraOf(params: Params): Era {
  const meta = isObject(params?._meta) ? params._meta : {};
  const version = meta[VERSION_KEY];
  if (version === undefined) return 'legacy';
  if (!MODERN_VERSIONS.some((known) => known === version)) {
    const data = { supported: MODERN_VERSIONS, requested: version };
    throw new RpcError(UNSUPPORTED_VERSION, 'unsupported protocol version', data);
  }
  if (!isObject(meta[ABILITIES_KEY])) throw new RpcError(RpcCode.invalidParams, `_meta lacks ${ABILITIES_KEY}`);
  return 'modern';
}

/** An answer in the era of its client: those of the newer one say that they are whole and for how long they hold. */
export function adapt(answer: Answer, method: string, era: Era): Answer {
  if (era === 'legacy') {
    if ('bytes' in answer || !isObject(answer.value) || answer.value.resultType === undefined) return answer;
    const { resultType: _, ...value } = answer.value;
    return { value };
  }
  const value = objectOf(answer);
  const isWhole = value.resultType === undefined || value.resultType === 'complete';
  const hints = isWhole && CACHEABLE.has(method) ? { ttlMs: LIST_TTL_MS, cacheScope: 'private' } : {};
  return { value: { resultType: 'complete', ...hints, ...value } };
}

/** Who we are stands in `_meta`: that is where clients of this era look for it. */
export function discovery(serverInfo: object, { capabilities, instructions }: Introduction): Record<string, unknown> {
  return {
    supportedVersions: MODERN_VERSIONS,
    capabilities,
    ...(instructions !== undefined && { instructions }),
    _meta: { [SERVER_KEY]: serverInfo },
  };
}
