import type { AuthorizationServerMetadata, OAuthDiscoveryState, OAuthServerInfo } from '@modelcontextprotocol/client';
import { ErrorCode, isObject, PortolanError } from '../../base/index.js';
import type { Fetch } from '../remote/remote-fetch.js';
import type { Challenge } from './auth-challenge.js';
import type { Sdk, SignInTarget } from './sign-in-target.js';

/** Discovers the authorization server of a server. */
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
  // Otherwise a server could obtain a token for another server.
  const configuredResource = found.resourceMetadata?.resource;
  if (configuredResource !== undefined && !sdk.checkResourceAllowed({ requestedResource: url, configuredResource }))
    throw new PortolanError(
      ErrorCode.ConnectionError,
      `the OAuth metadata of ${remote.name} names a different resource than its URL`,
      {
        hint: 'this may be an attack or a mistake: report it to the operator of the server',
      },
    );
  const named = found.authorizationServerMetadata?.issuer ?? found.authorizationServerUrl;
  if (settings.issuer !== undefined && withoutSlash(named) !== withoutSlash(settings.issuer))
    throw new PortolanError(
      ErrorCode.ConnectionError,
      `${remote.name} names a different authorization server than its entry`,
      { hint: 'ask the operator of the server; if it has moved, change `oauth.issuer` in its entry' },
    );
  return { ...found, ...(resourceMetadataUrl && { resourceMetadataUrl: resourceMetadataUrl.href }) };
}

/** Uses the metadata URL from the entry and ignores the authorization server that the server names. */
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
    const discovered = await sdk.discoverOAuthProtectedResourceMetadata(url, where, fetch).catch(() => undefined);
    const own = discovered?.authorization_servers?.length ? undefined : await ownMetadata(sdk, url, fetch);
    if (!own) throw error;
    return { authorizationServerUrl: own.issuer, authorizationServerMetadata: own };
  }
}

/**
 * Revision 2025-03-26: the server names no authorization server, so the metadata at the root of its origin applies. Some
 * servers name an issuer with a path below the origin, which is accepted; an issuer of another origin is not.
 */
async function ownMetadata(sdk: Sdk, url: URL, fetch: Fetch): Promise<AuthorizationServerMetadata | undefined> {
  const options = { fetchFn: fetch, skipIssuerValidation: true };
  const found = await sdk.discoverAuthorizationServerMetadata(new URL('/', url), options);
  return found && URL.canParse(found.issuer) && new URL(found.issuer).origin === url.origin ? found : undefined;
}

/** The metadata of a known authorization server. */
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

/** Reads metadata from the URL in the entry, and trusts the issuer that it names. */
async function metadataAt(sdk: Sdk, url: URL, fetch: Fetch): Promise<AuthorizationServerMetadata> {
  const response = await fetch(url, { headers: { accept: 'application/json' } });
  const text = await response.text();
  const issuer = response.ok ? issuerIn(text) : undefined;
  const read = async () => new Response(text, { headers: { 'content-type': 'application/json' } });
  const metadata = issuer && (await sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn: read }));
  if (metadata) return metadata;
  throw new PortolanError(ErrorCode.ConnectionError, `${url.href} is not the metadata of an authorization server`, {
    hint: 'check `authServerMetadataUrl` in the entry of the server',
  });
}

/** An origin may be written with or without a trailing slash. */
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
