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
  /** Metadata of the authorization server, where its server does not name it. */
  readonly metadataUrl?: URL;
  /** A document that describes us, for authorization servers that take its address for a name. */
  readonly clientMetadataUrl?: string;
}

/** Clients write `clientId`, `client_id`, `CLIENT_ID` or `oauthClientId`. */
export function readOAuthSettings(server: string, oauth: Definition['oauth'] = {}): OAuthSettings {
  const said = plainly(oauth);
  const scopes = said.get('scopes') ?? said.get('scope') ?? '';
  const scope = (Array.isArray(scopes) ? scopes.join(' ') : String(scopes)).trim().replaceAll(/\s+/g, ' ');
  const clientId = textOf(said, 'clientid');
  const clientSecret = textOf(said, 'clientsecret');
  const metadata = textOf(said, 'authservermetadataurl', 'authorizationservermetadataurl', 'metadataurl');
  const clientMetadataUrl = textOf(said, 'clientmetadataurl');
  return {
    grant: textOf(said, 'granttype', 'grant') === 'client_credentials' ? 'client-credentials' : 'browser',
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(scope !== '' && { scope }),
    ...(metadata !== undefined && { metadataUrl: webAddress(server, metadata) }),
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
  };
}

/**
 * Where the browser has to come back to, if that was agreed upon when the client was registered. Only who signs in has
 * to know: an address that another client alone can use is no reason not to call the server.
 */
export function agreedRedirect(server: string, oauth: Definition['oauth'] = {}): URL | undefined {
  const said = plainly(oauth);
  const address = textOf(said, 'redirecturi', 'redirecturl');
  if (address !== undefined) {
    const url = webAddress(server, /^(localhost|127\.0\.0\.1):\d+/.test(address) ? `http://${address}` : address);
    if (url.protocol === 'http:' && isLoopbackName(url) && url.port !== '') return url;
    throw wrong(server, 'its redirect address does not lead to a port of this machine');
  }
  const port = said.get('callbackport');
  if (port === undefined) return undefined;
  const number = Number(port);
  // What the client that wrote the port would have registered.
  if (Number.isInteger(number) && number > 0 && number < 65_536) return new URL(`http://localhost:${number}/callback`);
  throw wrong(server, 'its callback port is no port');
}

type Said = ReadonlyMap<string, string | number | boolean | readonly string[]>;

function plainly(oauth: NonNullable<Definition['oauth']>): Said {
  const plainKey = (key: string): string =>
    key
      .toLowerCase()
      .replaceAll(/[_-]/g, '')
      .replace(/^oauth/, '');
  return new Map(Object.entries(oauth).map(([key, value]) => [plainKey(key), value]));
}

function textOf(said: Said, ...keys: readonly string[]): string | undefined {
  return keys.map((key) => said.get(key)).find((value): value is string => typeof value === 'string' && value !== '');
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
