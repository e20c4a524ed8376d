import { describe, expect, it } from 'vitest';
import { boundNames, isOurHost, isOurOrigin } from './host-rules.js';

const noAddresses = () => [];
const loopback = { bound: boundNames({ host: '127.0.0.1', port: 7420 }, noAddresses), port: 7420, allowed: [] };
const proxied = { ...loopback, allowed: ['mcp.example', 'Other.Example:8443'] };

describe('isOurHost', () => {
  it.each(['127.0.0.1:7420', 'localhost:7420', 'LocalHost:7420', '[::1]:7420'])('accepts %s', (header) => {
    expect(isOurHost(header, loopback)).toBe(true);
  });

  it.each([
    null,
    '',
    'localhost',
    'localhost:7421',
    'localhost:07420x',
    'localhost.:7420',
    '127.0.0.1.:7420',
    '127.1:7420',
    '2130706433:7420',
    '0x7f.0.0.1:7420',
    '0.0.0.0:7420',
    '[::]:7420',
    '[::ffff:127.0.0.1]:7420',
    'evil.example:7420',
    'localhost.evil.example:7420',
    'evil.example@localhost:7420',
    'localhost:7420@evil.example',
    'localhost:7420, evil.example',
    'localhost:7420,localhost:7420',
    'localhost:7420/',
    'localhost :7420',
    'xn--localhost-:7420',
  ])('refuses %j', (header) => {
    expect(isOurHost(header, loopback)).toBe(false);
  });

  it.each([
    ['mcp.example', true],
    ['MCP.example:443', true],
    ['other.example:8443', true],
    ['other.example', false],
    ['evil.mcp.example', false],
  ])('for the Host %s returns %s', (header, expected) => {
    expect(isOurHost(header, proxied)).toBe(expected);
  });

  it('accepts a missing port only if the port is 80', () => {
    expect(isOurHost('localhost', { ...loopback, port: 80 })).toBe(true);
  });
});

describe('isOurOrigin', () => {
  it.each([
    [null, true],
    ['http://localhost:7420', true],
    ['http://[::1]:7420', true],
    ['HTTP://LOCALHOST:7420', true],
    ['null', false],
    ['', false],
    ['http://localhost', false],
    ['http://localhost:3000', false],
    ['https://localhost:7420', false],
    ['http://localhost:7420/', false],
    ['http://localhost.:7420', false],
    ['http://evil.example:7420', false],
    ['http://evil.example', false],
    ['http://localhost:7420, http://evil.example', false],
    ['http://evil.example, http://localhost:7420', false],
    ['http://user@localhost:7420', false],
    ['file://', false],
    ['chrome-extension://abc', false],
    ['localhost:7420', false],
  ])('for the Origin %j returns %s', (header, expected) => {
    expect(isOurOrigin(header, loopback)).toBe(expected);
  });

  it('accepts pages of an allowed host, also over TLS', () => {
    expect(
      ['https://mcp.example', 'http://mcp.example', 'https://other.example:8443'].every((origin) =>
        isOurOrigin(origin, proxied),
      ),
    ).toBe(true);
    expect(isOurOrigin('https://other.example', proxied)).toBe(false);
  });
});

describe('boundNames', () => {
  const local = () => ['10.1.2.3', 'fe80::1', '127.0.0.1'];

  it.each([
    { host: '::1', names: ['localhost', '127.0.0.1', '[::1]'] },
    { host: '127.0.0.5', names: ['localhost', '127.0.0.1', '[::1]', '127.0.0.5'] },
    { host: '10.1.2.3', names: ['10.1.2.3'] },
    { host: 'Box.Local', names: ['box.local'] },
    { host: '2001:DB8::1', names: ['[2001:db8::1]'] },
    { host: '0.0.0.0', names: ['localhost', '127.0.0.1', '[::1]', '10.1.2.3', '[fe80::1]'] },
    { host: '::', names: ['localhost', '127.0.0.1', '[::1]', '10.1.2.3', '[fe80::1]'] },
  ])('for $host are $names', ({ host, names }) => {
    expect(boundNames({ host, port: 1 }, local)).toEqual(new Set(names));
  });
});
