import { join } from 'node:path';
import { ErrorCode, PortolanError, shellWord } from '../base/index.js';
import type { Discovery } from '../discovery/index.js';
import { ownFolders } from '../discovery/index.js';
import type { Host } from '../model/index.js';
import { admit } from '../policy/index.js';
import type { SignedIn, SignedOut, SignInOptions } from '../upstream/index.js';

/** The location of the user's tokens. */
export function credentialPath(host: Host): string {
  return join(ownFolders(host).state, 'credentials.json');
}

/** Signs the user in to an approved server; the page of an unapproved server is never opened. */
export async function signIn(
  discovery: Discovery,
  name: string,
  options: Pick<SignInOptions, 'print'> & Partial<SignInOptions>,
): Promise<SignedIn> {
  const found = discovery.servers.find((one) => one.name === name);
  const server = found && admit(name, found.definition, found.verdict);
  if (!server)
    throw new PortolanError(ErrorCode.ServerNotApproved, `${name} may not run, so you cannot sign in to it`, {
      hint: `show the reason with: portolan why ${shellWord(name)}`,
    });
  const upstream = await import('../upstream/index.js');
  const store = upstream.credentialStore(credentialPath(discovery.host));
  return upstream.signIn(server, store, { openBrowser: upstream.openBrowser, ...options });
}

/** Deletes a sign-in by server name, or by its former name if the server is no longer configured. */
export async function signOut(discovery: Discovery, name: string): Promise<SignedOut> {
  const upstream = await import('../upstream/index.js');
  const store = upstream.credentialStore(credentialPath(discovery.host));
  const url = discovery.servers.find((one) => one.name === name)?.definition.url;
  const kept = store.list().find((one) => one.server === name)?.resource;
  const at = url ?? kept;
  return at === undefined ? { kind: 'not-signed-in' } : upstream.signOut(at, store);
}

/** The stored sign-ins. */
export async function signedIn(path: string): Promise<readonly SignedIn[]> {
  const upstream = await import('../upstream/index.js');
  return upstream.signedIn(upstream.credentialStore(path));
}
