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

  it('leaves out paths, addresses and common settings, unless their name is that of a secret', () => {
    const env = {
      KUBECONFIG: '/home/me/.kube/prod-cluster-2024-eu-west-1.yaml:/home/me/.kube/config',
      API_URL: 'https://api.example.com/v1',
      NODE_ENV: 'production',
      MODE: 'a-mode-of-its-own',
      ACCESS_TOKEN: 'production',
    };
    expect(secretsOf(definition({ env }))).toEqual(['a-mode-of-its-own', 'production']);
  });
});
