import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import { secretsOf } from './open-transport.js';

describe('secretsOf', () => {
  it('includes every value that is sent to the server', () => {
    const entry = definition({
      url: 'https://h.example/mcp',
      headers: { Authorization: 'Bearer abc-def' },
      env: { KEY: 'k-1' },
      authToken: 't-1',
      oauth: { clientId: 'c-1', clientSecret: 's-1', idpIdToken: 'i-1', privateKeyFile: '~/k.pem' },
    });
    expect(secretsOf(entry, { FROM_FILE: 'f-1' })).toEqual([
      'k-1',
      'f-1',
      'Bearer abc-def',
      'Bearer',
      'abc-def',
      't-1',
      's-1',
      'i-1',
    ]);
  });
});
