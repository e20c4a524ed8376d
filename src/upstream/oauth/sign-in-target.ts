import { dirname } from 'node:path';
import { ErrorCode, PortolanError, shellWord } from '../../base/index.js';
import type { AdmittedServer } from '../../policy/index.js';
import { resourceOf } from './credential.js';
import { agreedRedirect, type OAuthSettings, readOAuthSettings } from './oauth-settings.js';

/** Loaded with the first server that needs it. */
export type Sdk = typeof import('@modelcontextprotocol/client');

/** What signing in to a server needs to know of it. */
export interface SignInTarget {
  readonly name: string;
  readonly url: URL;
  readonly resource: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly settings: OAuthSettings;
  readonly redirect: () => URL | undefined;
  /** The folder of the file in which the entry stands. */
  readonly folder: string;
  /** The entry came with a repository. */
  readonly isBrought: boolean;
  /** Addresses that a person wrote, which may be private. */
  readonly written: readonly URL[];
}

/** The argument is the proof that policy let the server in: nobody is sent to the sign-in page of any other. */
export function remoteOf({ name, definition }: AdmittedServer): SignInTarget {
  const { url, headers = {}, oauth, source, scope } = definition;
  if (url === undefined || !/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new PortolanError(ErrorCode.Usage, `${name} is not reached over the web, so nobody signs in to it`, {
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

/** An entry that brings its own key has no use for a sign-in. */
export function bringsOwnKey({ headers }: Pick<SignInTarget, 'headers'>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}
