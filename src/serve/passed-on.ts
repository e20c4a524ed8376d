import { isObject } from '../base/index.js';
import { META } from '../model/index.js';

/** What travels on with a request of what came with it: everything but what is meant for this hop. */
export function passedOn(meta: unknown): Record<string, unknown> | undefined {
  if (!isObject(meta)) return undefined;
  const rest = Object.entries(meta).filter(([key]) => key !== 'progressToken' && !key.startsWith(META.prefix));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** The parameters of a request for the next hop. */
export function paramsPassedOn({ _meta, ...params }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const meta = passedOn(_meta);
  return { ...params, ...(meta && { _meta: meta }) };
}
