import { ErrorCode, PortolanError, shellWord } from '../../base/index.js';
import type { Definition } from '../../model/index.js';
import { isLoopbackName } from '../remote/address-rules.js';

/** A secret in the entry or in a file. The file is read each time, because other programs may renew it. */
export type SecretSource =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string };

/** The identity provider of an organisation, which issues grants for other authorization servers. */
export interface IdentityProvider {
  readonly where: { readonly kind: 'issuer' | 'token-endpoint'; readonly url: URL };
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly idToken: SecretSource;
}

/** The OAuth settings of an entry, in one form for all clients. */
export interface OAuthSettings {
  readonly grant: 'browser' | 'client-credentials' | 'cross-app-access';
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The key for `private_key_jwt`, instead of a client secret. */
  readonly privateKey?: SecretSource;
  readonly signingAlgorithm?: string;
  readonly identityProvider?: IdentityProvider;
  /** The only authorization server to which these settings are sent. */
  readonly issuer?: string;
  /** Scopes, separated by spaces. */
  readonly scope?: string;
  /** The metadata URL of the authorization server, if the entry names it. */
  readonly metadataUrl?: URL;
  /** The URL of a client metadata document, used as the client id where supported. */
  readonly clientMetadataUrl?: string;
}

/** Reads all spellings that clients use: `clientId`, `client_id`, `CLIENT_ID` or `oauthClientId`. */
export function readOAuthSettings(server: string, oauth: Definition['oauth'] = {}): OAuthSettings {
  const fields = flatFields(oauth);
  const scopes = fields.get('scopes') ?? fields.get('scope') ?? '';
  const scope = (Array.isArray(scopes) ? scopes.join(' ') : String(scopes)).trim().replaceAll(/\s+/g, ' ');
  const clientId = textOf(fields, 'clientid');
  const clientSecret = textOf(fields, 'clientsecret');
  const privateKey = secretOf(fields, 'privatekey');
  const signingAlgorithm = textOf(fields, 'signingalgorithm', 'tokenendpointauthsigningalg');
  const identityProvider = identityProviderOf(server, fields);
  const issuer = textOf(fields, 'issuer');
  const metadata = textOf(fields, 'authservermetadataurl', 'authorizationservermetadataurl', 'metadataurl');
  const clientMetadataUrl = textOf(fields, 'clientmetadataurl');
  return {
    grant: grantOf(textOf(fields, 'granttype', 'grant'), privateKey, identityProvider),
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

/** The written grant, or one that follows from the other settings. */
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

/** Throws for incomplete settings, because a sign-in without the identity provider is not what the entry intends. */
function identityProviderOf(server: string, fields: FlatFields): IdentityProvider | undefined {
  if (![...fields.keys()].some((key) => key.startsWith('idp'))) return undefined;
  const [endpoint, issuer] = [textOf(fields, 'idptokenendpoint'), textOf(fields, 'idpissuer', 'idpurl')];
  const clientId = textOf(fields, 'idpclientid');
  const idToken = secretOf(fields, 'idpidtoken');
  const address = endpoint ?? issuer;
  if (address === undefined || clientId === undefined || !idToken)
    throw wrong(server, 'an identity provider needs `idpIssuer`, `idpClientId`, and `idpIdTokenFile` or `idpIdToken`');
  const clientSecret = textOf(fields, 'idpclientsecret');
  return {
    where: { kind: endpoint === undefined ? 'issuer' : 'token-endpoint', url: webAddress(server, address) },
    clientId,
    ...(clientSecret !== undefined && { clientSecret }),
    idToken,
  };
}

function secretOf(fields: FlatFields, key: string): SecretSource | undefined {
  const path = textOf(fields, `${key}file`);
  if (path !== undefined) return { kind: 'file', path };
  const text = textOf(fields, key);
  return text === undefined ? undefined : { kind: 'text', text };
}

/**
 * The registered redirect URI, if the entry names one. Checked only at sign-in: calls still work if only another client can
 * use the URI.
 */
export function agreedRedirect(server: string, oauth: Definition['oauth'] = {}): URL | undefined {
  const fields = flatFields(oauth);
  const address = textOf(fields, 'redirecturi', 'redirecturl');
  if (address !== undefined) {
    const url = webAddress(server, /^(localhost|127\.0\.0\.1):\d+/.test(address) ? `http://${address}` : address);
    if (url.protocol === 'http:' && isLoopbackName(url) && url.port !== '') return url;
    throw wrong(server, 'its redirect URI must be http with a port on this machine');
  }
  const port = fields.get('callbackport');
  if (port === undefined) return undefined;
  const number = Number(port);
  // The redirect URI that clients register for this port.
  if (Number.isInteger(number) && number > 0 && number < 65_536) return new URL(`http://localhost:${number}/callback`);
  throw wrong(server, 'its callback port must be a number from 1 to 65535');
}

type FlatFields = ReadonlyMap<string, string | number | boolean | readonly string[]>;

function flatFields(oauth: NonNullable<Definition['oauth']>): FlatFields {
  const plainKey = (key: string): string =>
    key
      .toLowerCase()
      .replaceAll(/[_-]/g, '')
      .replace(/^oauth/, '');
  return new Map(Object.entries(oauth).map(([key, value]) => [plainKey(key), value]));
}

function textOf(fields: FlatFields, ...keys: readonly string[]): string | undefined {
  return keys.map((key) => fields.get(key)).find((value): value is string => typeof value === 'string' && value !== '');
}

function webAddress(server: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw wrong(server, 'it contains a URL that is not http or https');
}

/** Secrets written in the entry, to be masked in texts. */
export function secretsIn({ clientSecret, privateKey, identityProvider }: OAuthSettings): string[] {
  const sources = [privateKey, identityProvider?.idToken].flatMap((one) => (one?.kind === 'text' ? one.text : []));
  return [clientSecret, identityProvider?.clientSecret, ...sources].filter((one) => one !== undefined);
}

/** The error for invalid OAuth settings. */
export function wrong(server: string, why: string): PortolanError {
  return new PortolanError(ErrorCode.SettingsInvalid, `the oauth settings of ${server} cannot be used: ${why}`, {
    hint: `see its entry with \`portolan why ${shellWord(server)}\``,
  });
}
