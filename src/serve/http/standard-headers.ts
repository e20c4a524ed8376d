import { isObject } from '../../base/index.js';
import type { Params, RpcFault } from '../../rpc/index.js';

const HEADER_MISMATCH = -32_020;
/** The parameter that the header `Mcp-Name` repeats, so that proxies need not read the body. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** The fault if a header that repeats a part of the body is missing or differs from it. */
export function standardHeaderFault(
  headers: Headers,
  { method, params }: { readonly method: string; readonly params?: Params },
): RpcFault | undefined {
  for (const name of ['MCP-Protocol-Version', 'Mcp-Method'])
    if (headers.get(name) === null) return mismatch(`the header ${name} is missing`);
  const field = NAMED_BY.get(method);
  const named = field === undefined || !isObject(params) ? undefined : params[field];
  if (typeof named !== 'string') return undefined;
  const header = headers.get('Mcp-Name');
  if (header === null) return mismatch('the header Mcp-Name is missing');
  return decoded(header) === named ? undefined : mismatch('the header Mcp-Name does not match the body');
}

/** The decoded value of a header: the text itself, or its Base64 form. Undefined if the encoding is invalid. */
export function decoded(header: string): string | undefined {
  const [, carried] = /^=\?base64\?(.*)\?=$/.exec(header) ?? [];
  if (carried === undefined) return header;
  const bytes = Buffer.from(carried, 'base64');
  if (bytes.toString('base64') !== carried) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The error for headers that do not match the body. */
export function mismatch(message: string): RpcFault {
  return { code: HEADER_MISMATCH, message };
}
