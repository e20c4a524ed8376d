import { ErrorCode, PortolanError } from '../../base/index.js';
import type { Definition } from '../../model/index.js';
import { isLoopbackName } from '../address.js';

/** What an entry says about signing in, whatever client wrote it. */
export interface OAuthSettings {
  readonly grant: 'browser' | 'client-credentials';
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Separated by blanks, as the protocol wants them. */
  readonly scope?: string;
  /** Where the browser has to come back to, if that was agreed upon when the client was registered. */
  readonly redirect?: URL;
  /** Metadata of the authorization server, where its server does not name it. */
  readonly metadataUrl?: URL;
  /** A document that describes us, for authorization servers that take its address for a name. */
  readonly clientMetadataUrl?: string;
}

/** Clients write `clientId`, `client_id`, `CLIENT_ID` or `oauthClientId`. */
export function readOAuthSettings(server: string, oauth: Definition['oauth'] = {}): OAuthSettings {
  const said = new Map(Object.entries(oauth).map(([key, value]) => [plainKey(key), value]));
  const text = (...keys: readonly string[]): string | undefined =>
    keys.map((key) => said.get(key)).find((value): value is string => typeof value === 'string' && value !== '');
  const scopes = ['scopes', 'scope'].map((key) => said.get(key)).find((value) => value !== undefined);
  const scope = (Array.isArray(scopes) ? scopes.join(' ') : String(scopes ?? '')).trim().replaceAll(/\s+/g, ' ');
  const grant = text('granttype', 'grant') === 'client_credentials' ? 'client-credentials' : 'browser';
  const clientId = text('clientid');
  const clientSecret = text('clientsecret');
  const metadata = text('authservermetadataurl', 'authorizationservermetadataurl', 'metadataurl');
  const clientMetadataUrl = text('clientmetadataurl');
  const redirect = redirectOf(server, text('redirecturi', 'redirecturl'), said.get('callbackport'));
  return {
    grant,
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(scope !== '' && { scope }),
    ...(redirect && { redirect }),
    ...(metadata !== undefined && { metadataUrl: webAddress(server, metadata) }),
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
  };
}

function plainKey(key: string): string {
  return key
    .toLowerCase()
    .replaceAll(/[_-]/g, '')
    .replace(/^oauth/, '');
}

/** A port alone means what the client that wrote it would have registered. */
function redirectOf(server: string, uri: string | undefined, port: unknown): URL | undefined {
  if (uri !== undefined) {
    const url = webAddress(server, uri);
    if (url.protocol === 'http:' && isLoopbackName(url) && url.port !== '') return url;
    throw wrong(server, 'its redirect address does not lead to a port of this machine');
  }
  if (port === undefined) return undefined;
  const number = Number(port);
  if (Number.isInteger(number) && number > 0 && number < 65_536) return new URL(`http://localhost:${number}/callback`);
  throw wrong(server, 'its callback port is no port');
}

function webAddress(server: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw wrong(server, 'it names what is no web address');
}

function wrong(server: string, why: string): PortolanError {
  return new PortolanError(ErrorCode.SettingsInvalid, `the oauth settings of ${server} cannot be used: ${why}`, {
    hint: `see its entry with \`portolan why ${server}\``,
  });
}
