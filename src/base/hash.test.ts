import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hmac256, sha256 } from './hash.js';

describe('hashing', () => {
  it('returns the same HMAC as node:crypto', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.string({ maxLength: 500 }), (key, text) => {
        expect(hmac256(key, text)).toBe(createHmac('sha256', key).update(text).digest('hex'));
        expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
      }),
    );
  });
});
