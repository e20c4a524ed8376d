import { join } from 'node:path';
import { type Files, maskUrl, writeFile } from '../base/index.js';
import type { Host, Problem } from '../model/index.js';
import type { Connector } from '../sources/index.js';

/** The time limit for downloading the list of connectors. */
const FETCH_LIMIT_MS = 2000;
const MAX_LIST_CHARACTERS = 1024 * 1024;
const MAX_CONNECTORS = 1000;
/** The variable with the token for the list. The token is sent only to the URL in the settings. */
const CONNECTORS_TOKEN = 'PORTOLAN_CONNECTORS_TOKEN';

export interface ConnectorList {
  readonly connectors: readonly Connector[];
  readonly problems: readonly Problem[];
}

export interface ConnectorRequest {
  readonly url: string;
  readonly ttlSeconds: number;
  readonly now: number;
}

/**
 * The hosted connectors listed at a URL. A fresh cached list is used; an expired one is used at once and renewed for the
 * next scan. The download is awaited only if there is no cached list.
 */
export async function listConnectors(request: ConnectorRequest, host: Host): Promise<ConnectorList> {
  const path = join(cacheFolder(host), 'connectors.json');
  const cached = readCache(path, request.url, host.files);
  if (cached && request.now - cached.at < request.ttlSeconds * 1000)
    return { connectors: cached.connectors, problems: [] };
  const renewal = renew(request, path, host);
  if (!cached) return renewal;
  renewal.catch(() => undefined); // a failed renewal leaves the cached list in use
  return { connectors: cached.connectors, problems: [] };
}

async function renew({ url, now }: ConnectorRequest, path: string, host: Host): Promise<ConnectorList> {
  try {
    const connectors = await fetchConnectors(url, host.env[CONNECTORS_TOKEN]);
    // If the cache cannot be written, the next scan downloads the list again.
    await writeFile(path, JSON.stringify({ url, at: now, connectors })).catch(() => undefined);
    return { connectors, problems: [] };
  } catch (error) {
    return { connectors: [], problems: [unreachable(url, error instanceof Error ? error.message : String(error))] };
  }
}

async function fetchConnectors(url: string, token: string | undefined): Promise<Connector[]> {
  const response = await fetch(url, {
    headers: { accept: 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    // A redirect would send the token to another URL.
    redirect: 'error',
    signal: AbortSignal.timeout(FETCH_LIMIT_MS),
  });
  if (!response.ok) throw new Error(`the server responded with status ${response.status}`);
  const value: unknown = JSON.parse(await limitedText(response));
  const list = Array.isArray(value) ? value : isObject(value) ? value.connectors : undefined;
  if (!Array.isArray(list)) throw new Error('the response is not a list of connectors');
  return list
    .filter(isConnector)
    .slice(0, MAX_CONNECTORS)
    .map(({ name, url: address, id }) => ({ name, url: address, id }));
}

/** The response body, aborted if it exceeds the limit. */
async function limitedText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length > MAX_LIST_CHARACTERS) throw new Error('the response is too large');
  }
  return text + decoder.decode();
}

function readCache(path: string, url: string, files: Files): { at: number; connectors: Connector[] } | undefined {
  const reading = files.read(path);
  if (reading.kind !== 'read') return undefined;
  try {
    const value: unknown = JSON.parse(reading.text);
    if (!isObject(value) || value.url !== url || typeof value.at !== 'number' || !Array.isArray(value.connectors))
      return undefined;
    return { at: value.at, connectors: value.connectors.filter(isConnector) };
  } catch {
    return undefined; // the cache is missing or unreadable
  }
}

function cacheFolder({ env, home }: Host): string {
  return join(env.XDG_CACHE_HOME?.startsWith('/') ? env.XDG_CACHE_HOME : join(home, '.cache'), 'portolan');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isConnector(value: unknown): value is Connector {
  return isObject(value) && [value.name, value.url, value.id].every((one) => typeof one === 'string' && one !== '');
}

function unreachable(url: string, why: string): Problem {
  const { origin } = new URL(url);
  return {
    code: 'connectors-unreachable',
    severity: 'warning',
    // Some error messages contain the whole URL, which may hold a secret.
    message: `cannot download the list of connectors from ${origin}: ${maskUrl(why)}`,
    hint: `check that the URL works and that ${CONNECTORS_TOKEN} holds its token; other servers are not affected`,
  };
}
