import { isObject } from '../../base/index.js';
import type { RpcFault } from '../../rpc/index.js';
import { decoded, mismatch } from './standard-headers.js';

const KEY = 'x-mcp-header';
const PREFIX = 'Mcp-Param-';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Accepted formats of a number; the header may write it differently than the body. */
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

interface Declared {
  readonly path: readonly string[];
  readonly header: string;
}

/** The fault if a header that `x-mcp-header` in the tool's schema requires is missing or differs from the argument. */
export function paramFault(inputSchema: unknown, given: unknown, headers: Headers): RpcFault | undefined {
  for (const { path, header } of declaredIn(inputSchema, [])) {
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

/** Only schemas reached through `properties`: all others depend on the arguments. */
function declaredIn(schema: unknown, path: readonly string[]): Declared[] {
  if (!isObject(schema)) return [];
  const name = schema[KEY];
  const own = typeof name === 'string' && TOKEN.test(name) && path.length > 0 ? [{ path, header: PREFIX + name }] : [];
  const inner = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  return [...own, ...inner.flatMap(([key, part]) => declaredIn(part, [...path, key]))];
}

function isSame(text: string | undefined, value: string | number | boolean): boolean {
  if (text === undefined) return false;
  return text === String(value) || (typeof value === 'number' && DECIMAL.test(text) && Number(text) === value);
}
