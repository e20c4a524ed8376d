import { isObject } from '../../base/index.js';
import { META } from '../../model/index.js';

/** The `_meta` to forward: everything but the keys for this hop. */
export function forwardedMeta(meta: unknown): Record<string, unknown> | undefined {
  if (!isObject(meta)) return undefined;
  const rest = Object.entries(meta).filter(([key]) => key !== 'progressToken' && !key.startsWith(META.prefix));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** The parameters of a request for the next hop. */
export function forwardedParams({ _meta, ...params }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const meta = forwardedMeta(_meta);
  return { ...params, ...(meta && { _meta: meta }) };
}

/** The parameters of a call beside tool and arguments; undefined for most calls. */
export function extraCallParams(params: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  let isMore = false;
  for (const key in params) if (key !== 'name' && key !== 'arguments' && key !== '_meta') isMore = true;
  if (!isMore) return undefined;
  const { name: _, arguments: __, _meta: ___, ...extra } = params;
  return extra;
}
