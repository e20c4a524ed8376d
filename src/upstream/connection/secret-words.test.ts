import { describe, expect, it } from 'vitest';
import { namesSecret } from './secret-words.js';

describe('namesSecret', () => {
  it.each([
    ...[
      'password',
      'Your PassWord:',
      'userPassword',
      'pwd',
      'db_passwd',
      'passphrase',
      'PIN',
      'pin_code',
      'OTP',
      'CVV',
    ],
    ...['api_key', 'apiKey', 'APIKey', 'API key', 'x-api-key', 'accessToken', 'token', 'client_secret', 'private key'],
    ...['ssh_key', 'seed phrase', 'recovery code', 'verification code', 'one-time code', '2FA code', 'credentials'],
    ...['p4ssw0rd', 'p@$$word', 'p.a.s.s.w.o.r.d', 'pаsswоrd', 'ｐａｓｓｗｏｒｄ', 'pass\u200bword', 'pässword'],
    ...['Passwort', 'mot de passe', 'contraseña', 'senha', 'пароль', '密码', 'パスワード', '비밀번호'],
  ])('finds a secret in %j', (text) => {
    expect(namesSecret(text)).toBe(true);
  });

  it.each([
    ...[
      '',
      'name',
      'e-mail',
      'Which branch?',
      'keyboard',
      'issue key',
      'shipping address',
      'pinned',
      'spinner',
      'opinion',
    ],
    ...['secretary', 'passenger', 'compass', 'tokenizer', 'max_tokens', 'passport photo', 'How many keys?'],
  ])('finds none in %j', (text) => {
    expect(namesSecret(text)).toBe(false);
  });

  it('takes linear time for a long text', () => {
    const began = performance.now();
    namesSecret('pass '.repeat(1_000_000));
    namesSecret('a-'.repeat(5_000_000));
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
