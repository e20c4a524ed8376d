import type { KeyObject } from 'node:crypto';
import { wrong } from './oauth-settings.js';

/** A key in the form in which the SDK takes every kind of it, and what to sign with. */
export interface SigningKey {
  readonly key: Record<string, unknown>;
  readonly algorithm: string;
}

/** What a key can sign with, the usual one first. */
const RSA = ['RS256', 'PS256', 'RS384', 'PS384', 'RS512', 'PS512'];
const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  rsa: RSA,
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
  ed25519: ['EdDSA'],
};

/** Reads a private key in any PEM form. `accepted` is what the authorization server says that it takes. */
export function signingKey(
  server: string,
  pem: string,
  wanted: string | undefined,
  accepted: readonly string[] = [],
): SigningKey {
  const key = parse(server, pem);
  const able = ALGORITHMS[key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? ''];
  if (!able) throw wrong(server, 'its private key is of a kind that nobody can sign in with');
  if (wanted !== undefined && !able.includes(wanted))
    throw wrong(
      server,
      `its private key cannot sign with what \`signingAlgorithm\` says; it can with ${able.join(', ')}`,
    );
  const algorithm = wanted ?? able.find((one) => accepted.includes(one)) ?? able[0] ?? '';
  return { key: { ...key.export({ format: 'jwk' }) }, algorithm };
}

function parse(server: string, pem: string): KeyObject {
  // A variable can often hold no line breaks, so people write them out.
  const text = pem.includes('\n') ? pem : pem.replaceAll('\\n', '\n');
  try {
    return process.getBuiltinModule('node:crypto').createPrivateKey(text);
  } catch {
    // The error itself is not kept: nobody promises what it quotes.
    const isLocked = /^(?:-----BEGIN ENCRYPTED|Proc-Type:.*ENCRYPTED)/m.test(text);
    throw wrong(server, isLocked ? 'its private key has a passphrase' : 'its private key cannot be read as PEM');
  }
}
