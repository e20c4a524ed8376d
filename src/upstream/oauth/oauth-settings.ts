import { ErrorCode, PortolanError, shellWord } from '../../base/index.js';
import type { Definition } from '../../model/index.js';
import { isLoopbackName } from '../remote/address-rules.js';

/** A secret as it stands in the entry, or the file that has it; a file is read each time, because others renew it. */
export type SecretSource =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string };

/** Who knows the person at work, and vouches for them at other authorization servers. */
export interface IdentityProvider {
  readonly where: { readonly kind: 'issuer' | 'token-endpoint'; readonly url: URL };
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly idToken: SecretSource;
}

/** What an entry says about signing in, whatever client wrote it. */
export interface OAuthSettings {
  readonly grant: 'browser' | 'client-credentials' | 'cross-app-access';
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** What proves who we are in the place of a secret that is sent. */
  readonly privateKey?: SecretSource;
  readonly signingAlgorithm?: string;
  readonly identityProvider?: IdentityProvider;
  /** The only authorization server that may get any of this. */
  readonly issuer?: string;
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
  const privateKey = secretOf(said, 'privatekey');
  const signingAlgorithm = textOf(said, 'signingalgorithm', 'tokenendpointauthsigningalg');
  const identityProvider = identityProviderOf(server, said);
  const issuer = textOf(said, 'issuer');
  const metadata = textOf(said, 'authservermetadataurl', 'authorizationservermetadataurl', 'metadataurl');
  const clientMetadataUrl = textOf(said, 'clientmetadataurl');
  return {
    grant: grantOf(textOf(said, 'granttype', 'grant'), privateKey, identityProvider),
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(privateKey && { privateKey }),
    ...(signingAlgorithm !== undefined && { signingAlgorithm }),
    ...(identityProvider && { identityProvider }),
    ...(issuer !== undefined && { issuer: webAddress(server, issuer) && issuer }),
    ...(scope !== '' && { scope }),
    ...(metadata !== undefined && { metadataUrl: webAddress(server, metadata) }),
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
  };
}

/** Where nobody says how, what is there to sign in with tells. */
function grantOf(
  written: string | undefined,
  privateKey: SecretSource | undefined,
  identityProvider: IdentityProvider | undefined,
): OAuthSettings['grant'] {
  if (written === 'client_credentials') return 'client-credentials';
  if (written !== undefined && /^cross[_-]app[_-]access$|:jwt-bearer$|:token-exchange$/.test(written))
    return 'cross-app-access';
  if (written !== undefined) return 'browser';
  if (identityProvider) return 'cross-app-access';
  return privateKey ? 'client-credentials' : 'browser';
}

/** Half of one is a mistake: a sign-in without it would be another than the one that was meant. */
function identityProviderOf(server: string, said: Said): IdentityProvider | undefined {
  if (![...said.keys()].some((key) => key.startsWith('idp'))) return undefined;
  const [endpoint, issuer] = [textOf(said, 'idptokenendpoint'), textOf(said, 'idpissuer', 'idpurl')];
  const clientId = textOf(said, 'idpclientid');
  const idToken = secretOf(said, 'idpidtoken');
  const address = endpoint ?? issuer;
  if (address === undefined || clientId === undefined || !idToken)
    throw wrong(server, 'an identity provider needs `idpIssuer`, `idpClientId`, and `idpIdTokenFile` or `idpIdToken`');
  const clientSecret = textOf(said, 'idpclientsecret');
  return {
    where: { kind: endpoint === undefined ? 'issuer' : 'token-endpoint', url: webAddress(server, address) },
    clientId,
    ...(clientSecret !== undefined && { clientSecret }),
    idToken,
  };
}

function secretOf(said: Said, key: string): SecretSource | undefined {
  const path = textOf(said, `${key}file`);
  if (path !== undefined) return { kind: 'file', path };
  const text = textOf(said, key);
  return text === undefined ? undefined : { kind: 'text', text };
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

/** What stands in the entry itself and may be in no text about it. */
export function secretsIn({ clientSecret, privateKey, identityProvider }: OAuthSettings): string[] {
  const sources = [privateKey, identityProvider?.idToken].flatMap((one) => (one?.kind === 'text' ? one.text : []));
  return [clientSecret, identityProvider?.clientSecret, ...sources].filter((one) => one !== undefined);
}

/** The error for an entry that nobody can sign in with. */
export function wrong(server: string, why: string): PortolanError {
  return new PortolanError(ErrorCode.SettingsInvalid, `the oauth settings of ${server} cannot be used: ${why}`, {
    hint: `see its entry with \`portolan why ${shellWord(server)}\``,
  });
}
