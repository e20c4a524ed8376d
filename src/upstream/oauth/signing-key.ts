import type { KeyObject } from 'node:crypto';
import { wrong } from './oauth-settings.js';

/** A key as JWK, which the SDK accepts for every key type, and the algorithm to sign with. */
export interface SigningKey {
  readonly key: Record<string, unknown>;
  readonly algorithm: string;
}

/** Algorithms by key type, the most common first. */
const RSA = ['RS256', 'PS256', 'RS384', 'PS384', 'RS512', 'PS512'];
const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  rsa: RSA,
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
  ed25519: ['EdDSA'],
};

/** Reads a private key in any PEM form. `accepted` lists the algorithms that the authorization server supports. */
export function signingKey(
  server: string,
  pem: string,
  wanted: string | undefined,
  accepted: readonly string[] = [],
): SigningKey {
  const key = parse(server, pem);
  const able = ALGORITHMS[key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? ''];
  if (!able) throw wrong(server, 'its private key has an unsupported type');
  if (wanted !== undefined && !able.includes(wanted))
    throw wrong(
      server,
      `its private key does not support the algorithm in \`signingAlgorithm\`; supported: ${able.join(', ')}`,
    );
  const algorithm = wanted ?? able.find((one) => accepted.includes(one)) ?? able[0] ?? '';
  return { key: { ...key.export({ format: 'jwk' }) }, algorithm };
}

function parse(server: string, pem: string): KeyObject {
  // Variables often cannot contain line breaks, so users write `\n`.
  const text = pem.includes('\n') ? pem : pem.replaceAll('\\n', '\n');
  try {
    return process.getBuiltinModule('node:crypto').createPrivateKey(text);
  } catch {
    // Without the cause, which might quote the key.
    const isLocked = /^(?:-----BEGIN ENCRYPTED|Proc-Type:.*ENCRYPTED)/m.test(text);
    throw wrong(server, isLocked ? 'its private key has a passphrase' : 'its private key cannot be read as PEM');
  }
}
