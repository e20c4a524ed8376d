import { isObject, writtenMember } from '../../base/index.js';
import { declaredHeaders } from '../../model/index.js';

/** Values that a header can hold unencoded; others are sent as base64. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const ENCODED = /^=\?base64\?.*\?=$/;
/** Why a tool cannot be used over HTTP because of invalid header declarations; undefined if it can. */
export function headerFault(inputSchema: unknown): string | undefined {
  const { headers, fault } = declaredHeaders(inputSchema);
  if (fault !== undefined) return fault;
  const names = headers.map(({ header }) => header.toLowerCase());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? undefined : `two arguments declare the header ${twice}`;
}

/** The headers that repeat arguments for proxies that do not read bodies. */
export function paramHeaders(inputSchema: unknown, given: unknown): Record<string, string> {
  const { headers, fault } = declaredHeaders(inputSchema);
  if (fault !== undefined) return {};
  const pairs = headers.flatMap(({ path, header }): [string, string][] => {
    const holder = path.slice(0, -1).reduce<unknown>(member, given);
    const name = path.at(-1) ?? '';
    const value = member(holder, name);
    // Use the digits of the body: servers reject a call if header and body differ.
    if (isObject(holder) && typeof value === 'number') return [[header, written(writtenMember(holder, name))]];
    const isTold = typeof value === 'string' || typeof value === 'boolean';
    return isTold ? [[header, written(String(value))]] : [];
  });
  return Object.fromEntries(pairs);
}

function member(holder: unknown, name: string): unknown {
  return isObject(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined;
}

function written(text: string): string {
  if (PLAIN.test(text) && !ENCODED.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
