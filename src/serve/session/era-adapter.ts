import { isObject } from '../../base/index.js';
import { type Era, META, MODERN_VERSION, UNSUPPORTED_VERSION } from '../../model/index.js';
import { type Answer, type Params, RpcCode, RpcError } from '../../rpc/index.js';
import { objectOf } from '../surfaces/mcp-answers.js';
import type { Introduction } from '../surfaces/surface.js';

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

/** The era that a request says it is of, rightly or not. */
export function saidEra(params: Params): Era {
  return isObject(params?._meta) && params._meta[META.version] !== undefined ? 'modern' : 'legacy';
}

/** By what the request itself says. */
export function eraOf(params: Params): Era {
  const meta = isObject(params?._meta) ? params._meta : {};
  const version = meta[META.version];
  if (version === undefined) return 'legacy';
  if (version !== MODERN_VERSION) {
    const data = { supported: [MODERN_VERSION], requested: version };
    throw new RpcError(UNSUPPORTED_VERSION, 'unsupported protocol version', data);
  }
  if (!isObject(meta[META.abilities])) throw new RpcError(RpcCode.invalidParams, `_meta lacks ${META.abilities}`);
  return 'modern';
}

/** An answer in the era of its client: those of the newer one say that they are whole and for how long they hold. */
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

/** Who we are stands in `_meta`: that is where clients of this era look for it. */
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

/** Who we say we are. */
export function serverInfo(version: string): object {
  return { name: 'portolan', title: 'Portolan', version };
}
