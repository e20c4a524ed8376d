import { hmac256 } from './hash.js';

/** The purpose of a sealed text. It is invalid for any other purpose. */
export interface SealPurpose {
  /** The kind of text, such as a cursor. */
  readonly kind: string;
  /** What it is bound to, such as a client and a server. */
  readonly bound: readonly string[];
}

export type Unsealed =
  | { readonly kind: 'open'; readonly value: unknown }
  /** Not sealed by us, damaged, or sealed for another purpose. */
  | { readonly kind: 'forged' }
  | { readonly kind: 'expired' };

/**
 * A text that a client stores for us. The client can read it, but cannot change it or use it for another purpose or
 * after `expiresAt`.
 */
export function seal(key: string, purpose: SealPurpose, value: unknown, expiresAt: number): string {
  const body = Buffer.from(JSON.stringify([expiresAt, value])).toString('base64url');
  return `${body}.${signature(key, purpose, body)}`;
}

export function unseal(key: string, purpose: SealPurpose, text: string, now: number): Unsealed {
  const [body = '', signed = '', ...more] = text.split('.');
  if (more.length > 0 || !isSame(signed, signature(key, purpose, body))) return { kind: 'forged' };
  const [expiresAt, value] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [number, unknown];
  return now < expiresAt ? { kind: 'open', value } : { kind: 'expired' };
}

function signature(key: string, { kind, bound }: SealPurpose, body: string): string {
  return hmac256(key, JSON.stringify([kind, bound, body]));
}

/** Compares in constant time. */
function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && process.getBuiltinModule('node:crypto').timingSafeEqual(left, right);
}
