import { hmac256 } from '../base/index.js';
import { isCount, isHash, parseObject } from './parse-fields.js';

/** The length of a chain, sealed with the key, so that lines cut off at the end are detected. */
export interface Head {
  readonly chain: string;
  readonly count: number;
  readonly hash: string;
  /** The newest file of the chain. */
  readonly file: string;
  /** Files up to this name were deleted to make room, so they may be missing. */
  readonly floor: string;
}

export const MAX_HEAD_BYTES = 4096;

export function sealHead({ chain, count, hash, file, floor }: Head, key: string): string {
  const body = { chain, count, hash, file, floor };
  return `${JSON.stringify({ ...body, seal: sealOf(body, key) })}\n`;
}

/** Parses a head; undefined if its seal is invalid. */
export function openHead(text: string, key: string): Head | undefined {
  const value = parseObject(text);
  if (!value) return undefined;
  const { chain, count, hash, file, floor, seal } = value;
  if (typeof chain !== 'string' || typeof file !== 'string' || typeof floor !== 'string') return undefined;
  if (!isCount(count) || !isHash(hash)) return undefined;
  const head = { chain, count, hash, file, floor };
  return seal === sealOf(head, key) ? head : undefined;
}

function sealOf(head: Head, key: string): string {
  return hmac256(key, `head:${JSON.stringify(head)}`);
}
