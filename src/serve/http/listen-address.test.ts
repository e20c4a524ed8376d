import { describe, expect, it } from 'vitest';
import { checkToken, isLoopback, readAddress, requireTokenBeyondLoopback } from './listen-address.js';

const usage = (message: string) =>
  expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) });

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe('readAddress', () => {
  it.each([
    ['', { host: '127.0.0.1', port: 7420 }],
    ['127.0.0.1:8000', { host: '127.0.0.1', port: 8000 }],
    ['8000', { host: '127.0.0.1', port: 8000 }],
    [':8000', { host: '127.0.0.1', port: 8000 }],
    ['localhost', { host: 'localhost', port: 7420 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['0.0.0.0:1', { host: '0.0.0.0', port: 1 }],
    ['[::1]:8000', { host: '::1', port: 8000 }],
    ['[::1]', { host: '::1', port: 7420 }],
    ['::1', { host: '::1', port: 7420 }],
    ['my-host.example:65535', { host: 'my-host.example', port: 65535 }],
  ])('reads %j', (text, address) => {
    expect(readAddress(text)).toEqual(address);
  });

  it.each([
    'localhost:65536',
    'localhost:x',
    'localhost:-1',
    'http://localhost:8000',
    '[localhost]:8000',
    '[::1',
    'a b:1',
    ':',
    'user@host:1',
    '-:1',
    '1.2.3.4:5:6',
  ])('refuses %j', (text) => {
    expect(thrownBy(() => readAddress(text))).toEqual(usage('is not a valid address'));
  });
});

describe('isLoopback', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])('is true of %s', (host) => {
    expect(isLoopback(host)).toBe(true);
  });
  it.each(['0.0.0.0', '::', '10.0.0.1', '127.evil.example', 'localhost.evil.example', '128.0.0.1', ''])(
    'is false of %j',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});

describe('a token', () => {
  it('is required only beyond loopback', () => {
    const open = { host: '0.0.0.0', port: 1 };
    expect(thrownBy(() => requireTokenBeyondLoopback(open, undefined))).toEqual(usage('no token is set'));
    expect(thrownBy(() => requireTokenBeyondLoopback(open, 'secret'))).toBeUndefined();
    expect(thrownBy(() => requireTokenBeyondLoopback({ host: '::1', port: 1 }, undefined))).toBeUndefined();
  });

  it.each(['', 'two words', 'line\nbreak', 'ümlaut'])('may not be %j', (token) => {
    expect(thrownBy(() => checkToken(token))).toEqual(usage('the token is empty or contains characters'));
  });
});
