import type { AuthorizationServerMetadata, OAuthDiscoveryState, OAuthServerInfo } from '@modelcontextprotocol/client';
import { ErrorCode, isObject, PortolanError } from '../../base/index.js';
import type { Challenge } from './challenge.js';
import type { Fetch } from './checked-fetch.js';
import type { Remote, Sdk } from './remote.js';

/** Who signs people in for a server, found as the protocol says. */
export async function findIssuer(
  sdk: Sdk,
  remote: Remote,
  challenge: Challenge,
  fetch: Fetch,
): Promise<OAuthDiscoveryState> {
  const { url, settings } = remote;
  const { resourceMetadataUrl } = challenge;
  const where = resourceMetadataUrl ? { resourceMetadataUrl } : {};
  const found = settings.metadataUrl
    ? await namedByPerson(sdk, url, settings.metadataUrl, where, fetch)
    : await sdk.discoverOAuthServerInfo(url, { fetchFn: fetch, ...where });
  // A token asked for in the name of another server would be good for that one.
  const configuredResource = found.resourceMetadata?.resource;
  if (configuredResource !== undefined && !sdk.checkResourceAllowed({ requestedResource: url, configuredResource }))
    throw new PortolanError(ErrorCode.ConnectionError, `${remote.name} says that it is another server than it is`, {
      hint: 'its metadata names a resource that is not its own address; tell whoever runs it',
    });
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

/** The metadata of an authorization server that we know already. */
export async function metadataOf(
  sdk: Sdk,
  issuer: string,
  { settings }: Pick<Remote, 'settings'>,
  fetch: Fetch,
): Promise<AuthorizationServerMetadata | undefined> {
  const named = settings.metadataUrl && (await metadataAt(sdk, settings.metadataUrl, fetch));
  return named?.issuer === issuer ? named : sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
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

function issuerIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value.issuer === 'string' && URL.canParse(value.issuer) ? value.issuer : undefined;
  } catch {
    return undefined;
  }
}
