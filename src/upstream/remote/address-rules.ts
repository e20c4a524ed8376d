import type { LookupAddress } from 'node:dns';
import type { BlockList } from 'node:net';

/** Resolves a host name to all its addresses with the resolver of the machine. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

export type AddressKind = 'public' | 'private' | 'metadata';

/** Metadata services of cloud providers, which return credentials of the machine: never connect to them. */
const METADATA: readonly string[] = [
  '169.254.169.254/32',
  '169.254.170.2/32',
  '169.254.170.23/32',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
  'fd00:ec2::23/128',
  'fd20:ce::254/128',
];

/** Loopback, private and reserved ranges: everything outside the public internet. */
const PRIVATE: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  '::1/128',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

const METADATA_NAMES: readonly string[] = ['metadata.google.internal', 'metadata.goog', 'instance-data.ec2.internal'];

/** Classifies an address. An unreadable one counts as private. */
export function kindOfAddress(address: string): AddressKind {
  const [bare = ''] = address.replace(/^\[|\]$/g, '').split('%');
  if (isIP(bare) === 0) return 'private';
  const kinds = [bare, ...embedded(bare)].map((one): AddressKind => {
    const family = isIPv4(one) ? 'ipv4' : 'ipv6';
    if (blocks().metadata.check(one, family)) return 'metadata';
    return blocks().private.check(one, family) ? 'private' : 'public';
  });
  return kinds.find((kind) => kind === 'metadata') ?? kinds.find((kind) => kind === 'private') ?? 'public';
}

/**
 * Why a URL that a server supplied (by a redirect or in its metadata) may not be fetched; undefined if it may.
 * `from` is the URL that a person wrote: its own host may be private.
 */
export async function forbiddenAddress(url: URL, from: URL, lookup: Lookup = dnsLookup): Promise<string | undefined> {
  const wrong = forbiddenName(url);
  if (wrong !== undefined) return wrong;
  const host = bareHost(url);
  try {
    const found = isIP(host) === 0 ? await lookup(host) : [{ address: host, family: isIP(host) }];
    return forbiddenAmong(found, url, from);
  } catch {
    return `${host} cannot be resolved`;
  }
}

/** The checks that need no name resolution. */
export function forbiddenName(url: URL): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `${url.protocol} is not http or https`;
  if (url.username !== '' || url.password !== '') return 'it has a user name or password in it';
  const host = bareHost(url).replace(/\.$/, '');
  return METADATA_NAMES.includes(host) ? `${host} is a metadata service` : undefined;
}

/** Checks resolved addresses; one forbidden address is enough to refuse. */
export function forbiddenAmong(found: readonly LookupAddress[], url: URL, from: URL): string | undefined {
  const host = bareHost(url);
  if (found.length === 0) return `${host} cannot be resolved`;
  const kinds = found.map(({ address }) => kindOfAddress(address));
  if (kinds.includes('metadata')) return `${host} is a metadata service`;
  return kinds.includes('private') && !isSameHost(url, from) ? `${host} is a private address` : undefined;
}

/** The same host, or two names of this machine. */
function isSameHost(url: URL, from: URL): boolean {
  return bareHost(url) === bareHost(from) || (isLoopbackName(url) && isLoopbackName(from));
}

/** Whether the host is this machine, without name resolution: other names can resolve to any address. */
export function isLoopbackName(url: URL): boolean {
  const host = bareHost(url).replace(/\.$/, '');
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

export const dnsLookup: Lookup = (hostname) =>
  process.getBuiltinModule('node:dns').promises.lookup(hostname, { all: true, verbatim: true });

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

/** IPv4 addresses inside an IPv6 address: mapped, compatible, NAT64 and 6to4. */
function embedded(address: string): string[] {
  if (isIPv4(address)) return [];
  const groups = groupsOf(address);
  const starts = (...expected: number[]): boolean => expected.every((group, n) => groups[n] === group);
  const inside: string[] = [];
  if (starts(0, 0, 0, 0, 0, 0xffff) || starts(0, 0, 0, 0, 0xffff, 0) || starts(0x64, 0xff9b, 0, 0, 0, 0))
    inside.push(dotted(groups[6], groups[7]));
  // `::1` and `::` contain no IPv4 address.
  if (starts(0, 0, 0, 0, 0, 0) && groups[6] !== 0) inside.push(dotted(groups[6], groups[7]));
  if (starts(0x2002)) inside.push(dotted(groups[1], groups[2]));
  return inside;
}

/** Normalises an IPv6 address with the URL parser. */
function groupsOf(address: string): number[] {
  const written = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = written.split('::');
  const numbers = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [left, right] = [numbers(head), numbers(tail ?? '')];
  return tail === undefined ? left : [...left, ...Array(8 - left.length - right.length).fill(0), ...right];
}

function dotted(high = 0, low = 0): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

// Created on first use, because most starts connect to no remote server.
let lists: { readonly metadata: BlockList; readonly private: BlockList } | undefined;

function blocks(): { readonly metadata: BlockList; readonly private: BlockList } {
  lists ??= { metadata: blockList(METADATA), private: blockList(PRIVATE) };
  return lists;
}

function blockList(subnets: readonly string[]): BlockList {
  const list = new (net().BlockList)();
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/');
    list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  return list;
}

function isIPv4(text: string): boolean {
  return net().isIPv4(text);
}

function isIP(text: string): number {
  return net().isIP(text);
}

function net() {
  return process.getBuiltinModule('node:net');
}
