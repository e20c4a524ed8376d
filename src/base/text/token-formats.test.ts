import { describe, expect, it } from 'vitest';
import { maskTokens } from './token-formats.js';

const letters = (length: number) => 'aB3xY7qLm0'.repeat(Math.ceil(length / 10)).slice(0, length);
const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${letters(43)}`;

const TOKENS: readonly string[] = [
  ...['ghp', 'gho', 'ghu', 'ghs', 'ghr'].map((kind) => `${kind}_${letters(36)}`),
  `github_pat_${letters(22)}_${letters(59)}`,
  ...[
    'sk-abc123',
    `sk-${letters(48)}`,
    `sk-proj-${letters(40)}-T3Blbk`,
    `sk-ant-api03-${letters(40)}_-AA`,
    `sk-or-v1-${letters(64)}`,
  ],
  ...[
    'xoxb-123456789012-1234567890123-AbCdEf',
    'xoxp-123456789012-abc',
    `xoxe.xoxp-1-${letters(40)}`,
    `xapp-1-A012345-${letters(20)}`,
  ],
  ...['AKIAIOSFODNN7EXAMPLE', 'ASIAIOSFODNN7EXAMPLE'],
  ...[`AIza${letters(35)}`, `ya29.${letters(40)}`, `GOCSPX-${letters(28)}`],
  ...['glpat-0123456789abcdefghij', 'glrt-0123456789abcdefghij', `glpat-${letters(27)}.01.${letters(9)}`],
  ...[`npm_${letters(36)}`, `hf_${letters(34)}`, `pypi-AgEIcHlwaS5vcmc${letters(20)}`, `sk_live_${letters(24)}`],
  ...[`SG.${letters(22)}.${letters(43)}`, `hvs.${letters(24)}`, `lin_api_${letters(40)}`, `dckr_pat_${letters(27)}`],
  ...[JWT, 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.', `${JWT}.${letters(20)}.${letters(20)}`],
];

describe('maskTokens', () => {
  it.each(TOKENS)('masks %s anywhere in a text', (token) => {
    const shown = '[secret]';
    expect(maskTokens(`bad key ${token}, try another`)).toBe(`bad key ${shown}, try another`);
    expect(maskTokens(`{"key":"${token}"}`)).toBe(`{"key":"${shown}"}`);
    expect(maskTokens(JSON.stringify({ text: `one\n${token}` }))).toBe(JSON.stringify({ text: `one\n${shown}` }));
    expect(maskTokens(`https://a.example/?q=x%3D${token}&b=1`)).toBe(`https://a.example/?q=x%3D${shown}&b=1`);
    expect(maskTokens(`(${token})`)).toBe(`(${shown})`);
    expect(maskTokens(`/repos/${token}/x`)).toBe(`/repos/${shown}/x`);
  });

  it.each([
    ['Bearer abc123', 'Bearer [secret]'],
    ['sent bearer AbCdEf99, refused', 'sent bearer [secret], refused'],
    ['Bearer  opaque-Value.0~x+y/z==', 'Bearer  [secret]'],
    ['Authorization: Bearer hunter', 'Authorization: Bearer [secret]'],
    ['"Authorization":"Bearer hunter"', '"Authorization":"Bearer [secret]"'],
    ['{\\"authorization\\":\\"Bearer hunter\\"}', '{\\"authorization\\":\\"Bearer [secret]\\"}'],
    ["{ Authorization: 'Bearer hunter' }", "{ Authorization: 'Bearer [secret]' }"],
    ["[ 'authorization', 'Bearer hunter' ]", "[ 'authorization', 'Bearer [secret]' ]"],
    ['authorization=Bearer%20hunter', 'authorization=Bearer%20[secret]'],
    ['Authorization: Basic bWU6cHc=', 'Authorization: Basic [secret]'],
    ['Proxy-Authorization: Basic bWU6cHc=', 'Proxy-Authorization: Basic [secret]'],
    ['curl: Basic bWU6aHVudGVyMg== was refused', 'curl: Basic [secret] was refused'],
    ['Authorization: token a1b2c3', 'Authorization: token [secret]'],
    ['Authorization: a1b2c3', 'Authorization: [secret]'],
    ['x-api-key: a1b2c3', 'x-api-key: [secret]'],
    [`aws_secret_access_key = ${'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'}`, 'aws_secret_access_key = [secret]'],
    [`"SecretAccessKey": "${letters(40)}"`, '"SecretAccessKey": "[secret]"'],
    ['postgres://me:hunter2@db:5432/x refused', 'postgres://me:[secret]@db:5432/x refused'],
  ])('shows %s as %s', (text, shown) => {
    expect(maskTokens(text)).toBe(shown);
  });

  it.each([
    ...[
      '/home/me/project/src/index.ts',
      'C:\\Users\\me\\keys\\id_rsa.pub',
      '~/.ssh/id_ed25519',
      '/etc/ssl/private/key.pem',
    ],
    ...['/usr/lib/node_modules/@scope/pkg/dist/index.js:10:5', '/tmp/sk-cache/task-master-ai', './npm_config_registry'],
    ...['file:///home/me/a.txt', '/home/me/.npm/_npx/15c61c3b7d9f2a10/node_modules/.bin/server'],
    ...['123e4567-e89b-12d3-a456-426614174000', '3fef16e', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
    `sha256:${'0123456789abcdef'.repeat(4)}`,
    ...[
      'Bearer token is missing',
      'Invalid Bearer token.',
      'WWW-Authenticate: Bearer realm="x", error="invalid_token"',
    ],
    ...[
      'bearer authentication required',
      'Basic authentication failed',
      'a basic understanding',
      'Authorization: required',
    ],
    ...[
      'missing header Authorization: Bearer <token>',
      'Authorization: Bearer ${TOKEN}',
      'Authorization: Bearer token',
    ],
    ...[
      'authorization failed',
      'Authorization: Bearer [secret]',
      'Bearer ***',
      'sk-learn 1.4',
      'sk-SK',
      'risk-sk-report',
    ],
    ...[
      'disk-usage-server',
      'task-master-ai',
      'ask-questions',
      'hf_cache',
      'AKIA',
      'ASIAPACIFICREGION',
      'github-server',
    ],
    ...['xoxo-love', 'eyJ is how it begins', 'eyJhbGciOi.js', 'ordinary text', 'https://a.example/path?page=2#top', ''],
    ...['postgres://db:5432/x', 'at Object.<anonymous> (/srv/a.js:1:1)', 'git@github.com:me/repo.git', 'v1.2.3-beta.4'],
  ])('leaves %j unchanged', (text) => {
    expect(maskTokens(text)).toBe(text);
  });

  it('does not change masked text', () => {
    const once = TOKENS.map((token) => maskTokens(`Authorization: Bearer ${token} at https://me:${token}@a.example`));
    expect(once.map(maskTokens)).toEqual(once);
  });

  it.each([
    ...[
      '-eyJaaaaaaaa',
      'eyJ',
      '-eyJaaaaaaaa.',
      '.eyJaaaaaaaa.a',
      'xoxb-',
      'sk-',
      '-sk-a',
      'sk-aaa.',
      'xoxa.xoxa-',
      'SG.',
      'SG.aaaaaaaaaaaaaaaa.',
    ],
    ...[
      'bearer ',
      'bearer  "',
      'authorization:',
      'authorization: bearer ',
      'basic ',
      'basic aaaaaaaa',
      '://',
      '://a:',
      '://a:b',
    ],
    ...[
      'glpat-aaaaaa.',
      'ghp_',
      ' ',
      '"',
      '\\',
      '\\n',
      '%20',
      '=',
      '-',
      '_',
      '.',
      'a',
      'aws_secret_access_key=',
      'a-',
      '[secret]',
      ')',
    ],
  ])('takes linear time for a long run of %j', (piece) => {
    const timeOf = (length: number) => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      const started = performance.now();
      maskTokens(text);
      maskTokens(`Bearer ${text}`);
      return performance.now() - started;
    };
    expect(timeOf(1_000_000)).toBeLessThan(5_000);
  });
});
