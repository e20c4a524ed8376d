import type { LookupAddress } from 'node:dns';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Lookup } from './address-rules.js';

// No `fetch` of a library or of Node connects to an address that was checked, which is what prevents DNS rebinding.

/** Checks the addresses of a name: returns the error if one of them is forbidden, or if there is none. */
type CheckAddresses = (found: readonly LookupAddress[]) => Error | undefined;

/** Resolves a name for a connection; fails if its addresses do not pass the check. */
export function checkedLookup(lookup: Lookup, check: CheckAddresses): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname).then(
      (found) => {
        const wanted = options.family === 4 || options.family === 6 ? options.family : undefined;
        const usable = found.filter(({ family }) => wanted === undefined || family === wanted);
        const refusal = check(found) ?? (usable.length === 0 ? check([]) : undefined);
        const [first] = usable;
        if (refusal || !first) return done(refusal ?? new Error(`${hostname} cannot be resolved`), '', 0);
        return options.all ? done(null, [...usable]) : done(null, first.address, first.family);
      },
      (error: Error) => done(error, '', 0),
    );
  };
}

/** The address in a URL that has one in place of a name, which skips the lookup. */
export function literalAddress(url: URL): readonly LookupAddress[] {
  const address = url.hostname.replace(/^\[|\]$/g, '');
  const family = process.getBuiltinModule('node:net').isIP(address);
  return family === 0 ? [] : [{ address, family }];
}

/** Sends a request; `opened` gets it before it is sent. */
export function request(
  url: URL,
  options: RequestOptions,
  body: Buffer | undefined,
  opened?: (outgoing: ClientRequest) => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = moduleFor(url).request(url, options, resolve);
    opened?.(outgoing);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export function headersOf(answer: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(answer.headersDistinct))
    for (const value of values) headers.append(name, value);
  return headers;
}

export function moduleFor(url: URL) {
  return url.protocol === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
}
