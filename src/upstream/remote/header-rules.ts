import { ErrorCode, PortolanError } from '../../base/index.js';

export type HeaderFields = Readonly<Record<string, string>>;

/** More than any server asks for. */
const MAX_HEADERS = 100;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
/** What HTTP lets stand in a value: no line ends, with which one header would become two. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,16384}$/;
/** With these an entry would say where a request ends, which only the one who sends it knows. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'keep-alive', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
]);

/** The headers as they are, or an error that names one and never shows a value. */
export function checkedHeaders(headers: Readonly<Record<string, unknown>>, whose: string): HeaderFields {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) throw wrong(whose, `are more than ${MAX_HEADERS}`);
  const checked: [string, string][] = entries.map(([name, value]) => {
    if (!NAME.test(name)) throw wrong(whose, 'have one whose name is no header name');
    if (OF_THE_CONNECTION.has(name.toLowerCase())) throw wrong(whose, `may not set ${name}`);
    if (typeof value !== 'string' || !VALUE.test(value))
      throw wrong(whose, `have a value for ${name} that cannot be sent`);
    return [name, value];
  });
  return Object.fromEntries(checked);
}

function wrong(whose: string, what: string): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `${whose} ${what}`, {
    hint: 'headers are an object of texts, each on one line',
  });
}
