import { sha256 } from '../../base/index.js';
import { type HostRules, isOurHost, isOurOrigin } from './host-rules.js';
import { faultResponse, HTTP_FAULT } from './rpc-response.js';

export interface AdmissionRules {
  readonly hosts: () => HostRules;
  readonly token?: string;
  /** The routes that need no token. */
  readonly open: ReadonlySet<string>;
}

/** Returns the refusal of a request, or undefined to admit it. Applied to every path, including unknown ones. */
export type Admission = (request: Request) => Response | undefined;

/** Checks Host and Origin first, because a web page can reach a loopback port by DNS rebinding. */
export function admission({ hosts, token, open }: AdmissionRules): Admission {
  const isToken = token === undefined ? undefined : tokenCheck(token);
  return ({ headers, url }) => {
    const rules = hosts();
    if (!isOurHost(headers.get('host'), rules))
      return refused(403, 'this Host is not allowed; see the setting http.allowedHosts');
    if (!isOurOrigin(headers.get('origin'), rules)) return refused(403, 'this Origin is not allowed');
    if (!isToken || open.has(new URL(url).pathname)) return undefined;
    const given = headers.get('authorization');
    if (isToken(given)) return undefined;
    const error = given === null ? '' : ', error="invalid_token"';
    return refused(401, 'a bearer token is required', { 'www-authenticate': `Bearer realm="portolan"${error}` });
  };
}

/** Compares in constant time, and stores only the token's hash. */
function tokenCheck(token: string): (header: string | null) => boolean {
  const { timingSafeEqual } = process.getBuiltinModule('node:crypto');
  const expected = Buffer.from(sha256(token));
  return (header) => {
    const given = /^bearer +([\x21-\x7e]+)$/i.exec(header ?? '')?.[1];
    return given !== undefined && timingSafeEqual(Buffer.from(sha256(given)), expected);
  };
}

function refused(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return faultResponse(status, { code: HTTP_FAULT, message }, null, headers);
}
