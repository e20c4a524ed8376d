import { isObject } from '../../base/index.js';
import { declaredHeaders } from '../../model/index.js';
import type { RpcFault } from '../../rpc/index.js';
import { decoded, mismatch } from './standard-headers.js';

/** Accepted formats of a number; the header may write it differently than the body. */
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** The fault if a header that `x-mcp-header` in the tool's schema requires is missing or differs from the argument. */
export function paramFault(inputSchema: unknown, given: unknown, headers: Headers): RpcFault | undefined {
  for (const { path, header } of declaredHeaders(inputSchema).headers) {
    const value = path.reduce<unknown>(
      (at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
      given,
    );
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const written = headers.get(header);
    if (written === null) return mismatch(`the header ${header} is missing`);
    if (!isSame(decoded(written), value)) return mismatch(`the header ${header} does not match the body`);
  }
  return undefined;
}

function isSame(text: string | undefined, value: string | number | boolean): boolean {
  if (text === undefined) return false;
  return text === String(value) || (typeof value === 'number' && DECIMAL.test(text) && Number(text) === value);
}
