import { describe, expect, it } from 'vitest';
import { type AddressKind, forbiddenAddress, kindOfAddress, type Lookup } from './address-rules.js';

describe('kindOfAddress', () => {
  it.each<[string, AddressKind]>([
    ['8.8.8.8', 'public'],
    ['172.15.255.255', 'public'],
    ['172.16.0.1', 'private'],
    ['172.32.0.1', 'public'],
    ['10.1.2.3', 'private'],
    ['127.0.0.1', 'private'],
    ['127.255.255.254', 'private'],
    ['0.0.0.0', 'private'],
    ['100.64.0.1', 'private'],
    ['100.100.100.200', 'metadata'],
    ['169.254.1.1', 'private'],
    ['169.254.169.254', 'metadata'],
    ['169.254.170.2', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['192.168.0.1', 'private'],
    ['198.18.0.1', 'private'],
    ['224.0.0.1', 'private'],
    ['255.255.255.255', 'private'],
    ['2606:4700::1111', 'public'],
    ['::', 'private'],
    ['::1', 'private'],
    ['fe80::1%eth0', 'private'],
    ['fd12::1', 'private'],
    ['fd00:ec2::254', 'metadata'],
    ['fd20:ce::254', 'metadata'],
    ['::ffff:127.0.0.1', 'private'],
    ['::ffff:7f00:1', 'private'],
    ['::ffff:169.254.169.254', 'metadata'],
    ['::ffff:8.8.8.8', 'public'],
    ['::127.0.0.1', 'private'],
    ['64:ff9b::a9fe:a9fe', 'metadata'],
    ['64:ff9b::808:808', 'public'],
    ['2002:a9fe:a9fe::1', 'metadata'],
    ['2002:7f00:1::', 'private'],
    ['2001:0:1::1', 'private'],
    ['[::1]', 'private'],
    ['not an address', 'private'],
  ])('classifies %s as %s', (address, kind) => {
    expect(kindOfAddress(address)).toBe(kind);
  });
});

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'mcp.example.com': ['93.184.216.34'],
  'login.example.com': ['93.184.216.35', '2606:2800::1'],
  'rebind.example.com': ['93.184.216.36', '127.0.0.1'],
  'meta.example.com': ['169.254.169.254'],
  'mcp.corp.example': ['10.0.0.5'],
  localhost: ['::1', '127.0.0.1'],
};
const lookup: Lookup = async (name) => {
  const found = NAMES[name];
  if (!found) throw new Error('ENOTFOUND');
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};

describe('forbiddenAddress (SSRF, CVE-2026-26118)', { tags: 'S14' }, () => {
  const open = undefined;
  it.each<{ url: string; from?: string; because: string | undefined }>([
    { url: 'https://login.example.com/x', because: open },
    { url: 'https://8.8.8.8/', because: open },
    { url: 'http://127.0.0.1:8080/', because: '127.0.0.1 is a private address' },
    { url: 'http://2130706433/', because: '127.0.0.1 is a private address' },
    { url: 'http://0x7f.1/', because: '127.0.0.1 is a private address' },
    { url: 'http://[::ffff:127.0.0.1]/', because: '::ffff:7f00:1 is a private address' },
    { url: 'http://localhost/', because: 'localhost is a private address' },
    { url: 'https://rebind.example.com/', because: 'rebind.example.com is a private address' },
    { url: 'https://mcp.corp.example/', because: 'mcp.corp.example is a private address' },
    { url: 'https://mcp.corp.example:8443/', from: 'https://mcp.corp.example/mcp', because: open },
    { url: 'http://127.0.0.1:9/', from: 'http://127.0.0.1:8/mcp', because: open },
    { url: 'http://localhost:9/', from: 'http://127.0.0.1:8/mcp', because: open },
    { url: 'http://[::1]:9/', from: 'http://localhost:8/mcp', because: open },
    { url: 'http://10.0.0.1/', from: 'http://127.0.0.1:8/mcp', because: '10.0.0.1 is a private address' },
    // A public name that resolves to this machine does not count as this machine.
    { url: 'http://127.0.0.1/', from: 'https://rebind.example.com/', because: '127.0.0.1 is a private address' },
    { url: 'http://169.254.169.254/latest', because: '169.254.169.254 is a metadata service' },
    {
      url: 'http://169.254.169.254/',
      from: 'http://169.254.169.254/',
      because: '169.254.169.254 is a metadata service',
    },
    { url: 'http://[fd00:ec2::254]/', from: 'http://127.0.0.1/', because: 'fd00:ec2::254 is a metadata service' },
    {
      url: 'https://meta.example.com/',
      from: 'https://meta.example.com/',
      because: 'meta.example.com is a metadata service',
    },
    { url: 'http://metadata.google.internal./', because: 'metadata.google.internal is a metadata service' },
    { url: 'https://nobody.example.com/', because: 'nobody.example.com cannot be resolved' },
    { url: 'https://user:pass@login.example.com/', because: 'it has a user name or password in it' },
    { url: 'file:///etc/passwd', because: 'file: is not http or https' },
    { url: 'gopher://login.example.com/', because: 'gopher: is not http or https' },
  ])('$url from $from', async ({ url, from = 'https://mcp.example.com/mcp', because }) => {
    expect(await forbiddenAddress(new URL(url), new URL(from), lookup)).toBe(because);
  });
});
