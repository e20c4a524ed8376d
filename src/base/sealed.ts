import { hmac256 } from './hash.js';

/** What a sealed text was made for. It is of no use for anything or anybody else. */
export interface SealPurpose {
  /** What kind of text it is, such as a cursor. */
  readonly kind: string;
  /** Whom and what it is bound to: a client, a server. */
  readonly bound: readonly string[];
}

export type Unsealed =
  | { readonly kind: 'open'; readonly value: unknown }
  /** Not ours, not whole, or made for another. */
  | { readonly kind: 'forged' }
  | { readonly kind: 'expired' };

/** A text that a client carries for us: it can read it, and neither change it nor use it elsewhere or later. */
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

/** In the same time wherever they differ. */
function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && process.getBuiltinModule('node:crypto').timingSafeEqual(left, right);
}
