import { ErrorCode, PortolanError } from '../../base/index.js';

export type HeaderFields = Readonly<Record<string, string>>;

/** More headers than any server needs. */
const MAX_HEADERS = 100;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
/** Valid characters of a header value. Without line ends, which would allow header injection. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,16384}$/;
/** Headers that control the connection and the message length; only the HTTP client may set them. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'keep-alive', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
]);

/** Returns the headers unchanged. Throws an error that names a header, but never a value. */
export function checkedHeaders(headers: Readonly<Record<string, unknown>>, whose: string): HeaderFields {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) throw wrong(whose, `are more than ${MAX_HEADERS}`);
  const checked: [string, string][] = entries.map(([name, value]) => {
    if (!NAME.test(name)) throw wrong(whose, 'include an invalid header name');
    if (OF_THE_CONNECTION.has(name.toLowerCase())) throw wrong(whose, `may not set ${name}`);
    if (typeof value !== 'string' || !VALUE.test(value)) throw wrong(whose, `have an invalid value for ${name}`);
    return [name, value];
  });
  return Object.fromEntries(checked);
}

function wrong(whose: string, what: string): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `${whose} ${what}`, {
    hint: 'write headers as an object of single-line strings',
  });
}
