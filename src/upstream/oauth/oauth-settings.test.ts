import { describe, expect, it } from 'vitest';
import type { Definition } from '../../model/index.js';
import { agreedRedirect, readOAuthSettings } from './oauth-settings.js';

describe('readOAuthSettings', () => {
  it.each<{ title: string; oauth: Definition['oauth']; expected: object }>([
    { title: 'nothing', oauth: undefined, expected: {} },
    {
      title: 'Claude Code',
      oauth: { clientId: 'c', callbackPort: 7777, authServerMetadataUrl: 'https://a/meta', scopes: 'a  b' },
      expected: {
        clientId: 'c',
        redirect: new URL('http://localhost:7777/callback'),
        metadataUrl: new URL('https://a/meta'),
        scope: 'a b',
      },
    },
    {
      title: 'OpenCode',
      oauth: { client_id: 'c', client_secret: 's', scope: 'a', redirect_uri: 'http://127.0.0.1:7777/back' },
      expected: { clientId: 'c', clientSecret: 's', scope: 'a', redirect: new URL('http://127.0.0.1:7777/back') },
    },
    {
      title: 'Cursor',
      oauth: { CLIENT_ID: 'c', CLIENT_SECRET: 's', scopes: ['a', 'b'] },
      expected: { clientId: 'c', clientSecret: 's', scope: 'a b' },
    },
    {
      title: 'a port as text',
      oauth: { callback_port: '81' },
      expected: { redirect: new URL('http://localhost:81/callback') },
    },
    {
      title: 'Amazon Q',
      oauth: { redirectUri: '127.0.0.1:7778' },
      expected: { redirect: new URL('http://127.0.0.1:7778/') },
    },
    {
      title: 'client credentials',
      oauth: { grantType: 'client_credentials' },
      expected: { grant: 'client-credentials' },
    },
    {
      title: 'client credentials with a key file',
      oauth: { clientId: 'c', private_key_file: '~/k.pem', signingAlgorithm: 'ES256', issuer: 'https://a' },
      expected: {
        grant: 'client-credentials',
        clientId: 'c',
        privateKey: { kind: 'file', path: '~/k.pem' },
        signingAlgorithm: 'ES256',
        issuer: 'https://a',
      },
    },
    {
      title: 'a private key with a browser grant',
      oauth: { grant_type: 'authorization_code', privateKey: 'k' },
      expected: { privateKey: { kind: 'text', text: 'k' } },
    },
    {
      title: 'an identity provider',
      oauth: { idpIssuer: 'https://i/', idp_client_id: 'p', IDP_CLIENT_SECRET: 's', idpIdTokenFile: '/t' },
      expected: {
        grant: 'cross-app-access',
        identityProvider: {
          where: { kind: 'issuer', url: new URL('https://i/') },
          clientId: 'p',
          clientSecret: 's',
          idToken: { kind: 'file', path: '/t' },
        },
      },
    },
    {
      title: 'the token endpoint of an identity provider, which precedes its issuer',
      oauth: {
        grant: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        idpTokenEndpoint: 'https://i/t',
        idpIssuer: 'https://i/',
        idpClientId: 'p',
        idpIdToken: 'x',
      },
      expected: {
        grant: 'cross-app-access',
        identityProvider: {
          where: { kind: 'token-endpoint', url: new URL('https://i/t') },
          clientId: 'p',
          idToken: { kind: 'text', text: 'x' },
        },
      },
    },
    { title: 'empty strings', oauth: { clientId: '', scope: ' ' }, expected: {} },
  ])('reads $title', ({ oauth, expected }) => {
    const redirect = agreedRedirect('x', oauth);
    const read = { ...readOAuthSettings('x', oauth), ...(redirect && { redirect }) };
    expect(read).toEqual({ grant: 'browser', ...expected });
  });

  it.each<Definition['oauth']>([
    { redirectUri: 'https://evil.example/callback' },
    { redirectUri: 'http://evil.example:80/callback' },
    { redirectUri: 'http://127.0.0.1.evil.example:8080/' },
    { redirectUri: 'cursor://callback' },
    { redirectUri: 'http://localhost/no-port' },
    { callbackPort: 0 },
    { callbackPort: 65_536 },
    { callbackPort: 'x' },
    { authServerMetadataUrl: 'file:///etc/passwd' },
    { authServerMetadataUrl: 'no address' },
    { issuer: 'no address' },
    { idpIssuer: 'https://i/' },
    { idpIssuer: 'file:///etc', idpClientId: 'p', idpIdToken: 'x' },
  ])('refuses %j', (oauth) => {
    const read = () => [readOAuthSettings('x', oauth), agreedRedirect('x', oauth)];
    expect(read).toThrow('the oauth settings of x cannot be used');
  });

  it('accepts a redirect URI that only another client can use', () => {
    expect(readOAuthSettings('x', { redirectUri: 'cursor://callback' })).toEqual({ grant: 'browser' });
  });
});
