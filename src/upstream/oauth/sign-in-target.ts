import { dirname } from 'node:path';
import { ErrorCode, PortolanError, shellWord } from '../../base/index.js';
import type { AdmittedServer } from '../../policy/index.js';
import { resourceOf } from './credential.js';
import { agreedRedirect, type OAuthSettings, readOAuthSettings } from './oauth-settings.js';

/** A lazy import. */
export type Sdk = typeof import('@modelcontextprotocol/client');

/** A server, as far as a sign-in needs it. */
export interface SignInTarget {
  readonly name: string;
  readonly url: URL;
  readonly resource: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly settings: OAuthSettings;
  readonly redirect: () => URL | undefined;
  /** The directory of the file that contains the entry. */
  readonly folder: string;
  /** Whether the entry is in project scope, so that a repository may have supplied it. */
  readonly isBrought: boolean;
  /** URLs that a person wrote, which may be private addresses. */
  readonly written: readonly URL[];
}

/** Requires an `AdmittedServer`, which only policy can create, so that no other server can trigger a sign-in. */
export function remoteOf({ name, definition }: AdmittedServer): SignInTarget {
  const { url, headers = {}, oauth, source, scope } = definition;
  if (url === undefined || !/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new PortolanError(ErrorCode.Usage, `${name} has no http or https URL, so it has no sign-in`, {
      hint: `see its entry with \`portolan why ${shellWord(name)}\``,
    });
  const settings = readOAuthSettings(name, oauth);
  return {
    name,
    url: new URL(url),
    resource: resourceOf(url),
    headers,
    settings,
    redirect: () => agreedRedirect(name, oauth),
    folder: dirname(source),
    isBrought: scope === 'project',
    written: [new URL(url), ...(settings.metadataUrl ? [settings.metadataUrl] : [])],
  };
}

/** An entry with its own Authorization header needs no sign-in. */
export function bringsOwnKey({ headers }: Pick<SignInTarget, 'headers'>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}
