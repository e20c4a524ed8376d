import { isObject } from '../../base/index.js';
import { type Era, META, MODERN_VERSION, UNSUPPORTED_VERSION } from '../../model/index.js';
import { type Answer, type Params, RpcCode, RpcError } from '../../rpc/index.js';
import { objectOf } from '../surfaces/mcp-answers.js';
import type { Introduction } from '../surfaces/surface.js';

const LIST_TTL_MS = 5_000;
/** The methods whose results a client may cache for `LIST_TTL_MS`. */
const CACHEABLE: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** The era that a request claims, before it is validated. */
export function claimedEra(params: Params): Era {
  return isObject(params?._meta) && params._meta[META.version] !== undefined ? 'modern' : 'legacy';
}

/** Validates the claimed revision, and returns the era of the request. */
export function eraOf(params: Params): Era {
  const meta = isObject(params?._meta) ? params._meta : {};
  const version = meta[META.version];
  if (version === undefined) return 'legacy';
  if (version !== MODERN_VERSION) {
    const data = { supported: [MODERN_VERSION], requested: version };
    throw new RpcError(UNSUPPORTED_VERSION, 'unsupported protocol version', data);
  }
  if (!isObject(meta[META.capabilities])) throw new RpcError(RpcCode.invalidParams, `_meta lacks ${META.capabilities}`);
  return 'modern';
}

/** Converts a result to the client's era: a modern result is marked complete and says how long it may be cached. */
export function adapt(answer: Answer, method: string, era: Era): Answer {
  if (era === 'legacy') {
    if ('json' in answer || !isObject(answer.value) || answer.value.resultType === undefined) return answer;
    const { resultType: _, ...value } = answer.value;
    return { value };
  }
  const value = objectOf(answer);
  const isWhole = value.resultType === undefined || value.resultType === 'complete';
  const hints = isWhole && CACHEABLE.has(method) ? { ttlMs: LIST_TTL_MS, cacheScope: 'private' } : {};
  return { value: { resultType: 'complete', ...hints, ...value } };
}

/** Modern clients expect the server's name in `_meta`. */
export function discovery(
  version: string,
  { capabilities, instructions }: Introduction,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    supportedVersions: [MODERN_VERSION],
    capabilities: { ...capabilities, ...more },
    ...(instructions !== undefined && { instructions }),
    _meta: { [META.server]: serverInfo(version) },
  };
}

/** Our name and version in the protocol. */
export function serverInfo(version: string): object {
  return { name: 'portolan', title: 'Portolan', version };
}
