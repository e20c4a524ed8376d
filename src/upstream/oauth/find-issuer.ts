import type { AuthorizationServerMetadata, OAuthDiscoveryState, OAuthServerInfo } from '@modelcontextprotocol/client';
import { ErrorCode, isObject, PortolanError } from '../../base/index.js';
import type { Challenge } from './auth-challenge.js';
import type { Fetch } from './checked-fetch.js';
import type { Sdk, SignInTarget } from './sign-in-target.js';

/** Who signs people in for a server, found as the protocol says. */
export async function findIssuer(
  sdk: Sdk,
  remote: SignInTarget,
  challenge: Challenge,
  fetch: Fetch,
): Promise<OAuthDiscoveryState> {
  const { url, settings } = remote;
  const { resourceMetadataUrl } = challenge;
  const where = resourceMetadataUrl ? { resourceMetadataUrl } : {};
  const found = settings.metadataUrl
    ? await namedByPerson(sdk, url, settings.metadataUrl, where, fetch)
    : await namedByServer(sdk, url, where, fetch);
  // A token asked for in the name of another server would be good for that one.
  const configuredResource = found.resourceMetadata?.resource;
  if (configuredResource !== undefined && !sdk.checkResourceAllowed({ requestedResource: url, configuredResource }))
    throw new PortolanError(ErrorCode.ConnectionError, `${remote.name} says that it is another server than it is`, {
      hint: 'its metadata names a resource that is not its own address; tell whoever runs it',
    });
  const named = found.authorizationServerMetadata?.issuer ?? found.authorizationServerUrl;
  if (settings.issuer !== undefined && withoutSlash(named) !== withoutSlash(settings.issuer))
    throw new PortolanError(
      ErrorCode.ConnectionError,
      `${remote.name} names another authorization server than its entry does`,
      { hint: 'ask whoever runs the server; if it has moved, change `oauth.issuer` in its entry' },
    );
  return { ...found, ...(resourceMetadataUrl && { resourceMetadataUrl: resourceMetadataUrl.href }) };
}

/** Where a person named the authorization server, whomever the server names is not asked. */
async function namedByPerson(
  sdk: Sdk,
  url: URL,
  metadataUrl: URL,
  where: Pick<Challenge, 'resourceMetadataUrl'>,
  fetch: Fetch,
): Promise<OAuthServerInfo> {
  const metadata = await metadataAt(sdk, metadataUrl, fetch);
  const resourceMetadata = await sdk.discoverOAuthProtectedResourceMetadata(url, where, fetch).catch(() => undefined); // older servers have none
  return {
    authorizationServerUrl: metadata.issuer,
    authorizationServerMetadata: metadata,
    ...(resourceMetadata && { resourceMetadata }),
  };
}

async function namedByServer(
  sdk: Sdk,
  url: URL,
  where: Pick<Challenge, 'resourceMetadataUrl'>,
  fetch: Fetch,
): Promise<OAuthServerInfo> {
  try {
    return await sdk.discoverOAuthServerInfo(url, { fetchFn: fetch, ...where });
  } catch (error) {
    if (!(error instanceof sdk.IssuerMismatchError)) throw error;
    const said = await sdk.discoverOAuthProtectedResourceMetadata(url, where, fetch).catch(() => undefined);
    const own = said?.authorization_servers?.length ? undefined : await ownMetadata(sdk, url, fetch);
    if (!own) throw error;
    return { authorizationServerUrl: own.issuer, authorizationServerMetadata: own };
  }
}

/**
 * Revision 2025-03-26: the server names nobody, and the metadata at the root of its own origin counts. Nobody said then
 * who has to be named in it, and some name a place below; whoever has the origin has that too. Another origin is refused.
 */
async function ownMetadata(sdk: Sdk, url: URL, fetch: Fetch): Promise<AuthorizationServerMetadata | undefined> {
  const options = { fetchFn: fetch, skipIssuerValidation: true };
  const found = await sdk.discoverAuthorizationServerMetadata(new URL('/', url), options);
  return found && URL.canParse(found.issuer) && new URL(found.issuer).origin === url.origin ? found : undefined;
}

/** The metadata of an authorization server that we know already. */
export async function metadataOf(
  sdk: Sdk,
  issuer: string,
  { settings, url }: Pick<SignInTarget, 'settings' | 'url'>,
  fetch: Fetch,
): Promise<AuthorizationServerMetadata | undefined> {
  const named = settings.metadataUrl && (await metadataAt(sdk, settings.metadataUrl, fetch));
  if (named?.issuer === issuer) return named;
  const found = await sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  if (found || !URL.canParse(issuer) || new URL(issuer).origin !== url.origin) return found;
  const own = await ownMetadata(sdk, url, fetch);
  return own?.issuer === issuer ? own : undefined;
}

/** A document whose place a person named. Its issuer is what it says, because nobody else said where it is. */
async function metadataAt(sdk: Sdk, url: URL, fetch: Fetch): Promise<AuthorizationServerMetadata> {
  const response = await fetch(url, { headers: { accept: 'application/json' } });
  const text = await response.text();
  const issuer = response.ok ? issuerIn(text) : undefined;
  const read = async () => new Response(text, { headers: { 'content-type': 'application/json' } });
  const metadata = issuer && (await sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn: read }));
  if (metadata) return metadata;
  throw new PortolanError(ErrorCode.ConnectionError, `${url.href} is no metadata of an authorization server`, {
    hint: 'see `authServerMetadataUrl` in the entry of the server',
  });
}

/** A bare origin is written with a slash at its end and without. */
export function withoutSlash(text: string): string {
  return text.replace(/\/$/, '');
}

function issuerIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value.issuer === 'string' && URL.canParse(value.issuer) ? value.issuer : undefined;
  } catch {
    return undefined;
  }
}
