import type { LookupAddress } from 'node:dns';
import type { BlockList } from 'node:net';

/** Every address of a name, as the machine itself would find them. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

export type AddressKind = 'public' | 'private' | 'metadata';

/** Clouds answer here with the keys of the machine: no server has a reason to send us there, whoever it is. */
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

/** What is not on the public internet: this machine, its networks, and ranges that belong to nobody. */
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

/** What kind of place an address is. One that cannot be read counts as private. */
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
 * `from` is the URL that a person wrote: what it names is reachable for it anyway, so its own host may be private.
 */
export async function forbiddenAddress(url: URL, from: URL, lookup: Lookup = dnsLookup): Promise<string | undefined> {
  const wrong = forbiddenName(url);
  if (wrong !== undefined) return wrong;
  const host = bareHost(url);
  try {
    const found = isIP(host) === 0 ? await lookup(host) : [{ address: host, family: isIP(host) }];
    return forbiddenAmong(found, url, from);
  } catch {
    return `${host} cannot be found`;
  }
}

/** What can be said of a URL before anybody is asked for its address. */
export function forbiddenName(url: URL): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `${url.protocol} is no web address`;
  if (url.username !== '' || url.password !== '') return 'it has a user name or password in it';
  const host = bareHost(url).replace(/\.$/, '');
  return METADATA_NAMES.includes(host) ? `${host} is a metadata service` : undefined;
}

/** The same of addresses that were looked up: one bad one among them is enough. */
export function forbiddenAmong(found: readonly LookupAddress[], url: URL, from: URL): string | undefined {
  const host = bareHost(url);
  if (found.length === 0) return `${host} cannot be found`;
  const kinds = found.map(({ address }) => kindOfAddress(address));
  if (kinds.includes('metadata')) return `${host} is a metadata service`;
  return kinds.includes('private') && !isSameHost(url, from) ? `${host} is a private address` : undefined;
}

/** The very host, or this machine under another of its names. */
function isSameHost(url: URL, from: URL): boolean {
  return bareHost(url) === bareHost(from) || (isLoopbackName(url) && isLoopbackName(from));
}

/** This machine, said without asking anybody: a name whose address someone else decides is not meant. */
export function isLoopbackName(url: URL): boolean {
  const host = bareHost(url).replace(/\.$/, '');
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

export const dnsLookup: Lookup = (hostname) =>
  process.getBuiltinModule('node:dns').promises.lookup(hostname, { all: true, verbatim: true });

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

/** IPv4 addresses that an IPv6 address leads to: mapped, compatible, NAT64 and 6to4. */
function embedded(address: string): string[] {
  if (isIPv4(address)) return [];
  const groups = groupsOf(address);
  const starts = (...expected: number[]): boolean => expected.every((group, n) => groups[n] === group);
  const inside: string[] = [];
  if (starts(0, 0, 0, 0, 0, 0xffff) || starts(0, 0, 0, 0, 0xffff, 0) || starts(0x64, 0xff9b, 0, 0, 0, 0))
    inside.push(dotted(groups[6], groups[7]));
  // `::1` and `::` are themselves and lead nowhere else.
  if (starts(0, 0, 0, 0, 0, 0) && groups[6] !== 0) inside.push(dotted(groups[6], groups[7]));
  if (starts(0x2002)) inside.push(dotted(groups[1], groups[2]));
  return inside;
}

/** The URL parser writes every spelling of an IPv6 address in one way. */
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

// Most starts reach no server over the net: nothing of this is loaded before one does.
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
