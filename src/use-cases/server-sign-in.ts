import { join } from 'node:path';
import { ErrorCode, PortolanError, shellWord } from '../base/index.js';
import type { Discovery } from '../discovery/index.js';
import { ownFolders } from '../discovery/index.js';
import type { Host } from '../model/index.js';
import { admit } from '../policy/index.js';
import type { SignedIn, SignedOut, SignInOptions } from '../upstream/index.js';

/** Where the tokens of this user lie. */
export function credentialPath(host: Host): string {
  return join(ownFolders(host).state, 'credentials.json');
}

/** Lets a person sign in to a server that may run; nobody is sent to the page of one that they have not let in. */
export async function signIn(
  discovery: Discovery,
  name: string,
  options: Pick<SignInOptions, 'print'> & Partial<SignInOptions>,
): Promise<SignedIn> {
  const place = discovery.servers.findIndex((server) => server.name === name);
  const chosen = discovery.held[place]?.active;
  const verdict = chosen && discovery.verdicts.get(chosen);
  const server = chosen && verdict && admit(name, chosen, verdict);
  if (!server)
    throw new PortolanError(ErrorCode.ServerNotApproved, `${name} may not run, so nobody signs in to it`, {
      hint: `see why with: portolan why ${shellWord(name)}`,
    });
  const upstream = await import('../upstream/index.js');
  const store = upstream.credentialStore(credentialPath(discovery.host));
  return upstream.signIn(server, store, { openBrowser: upstream.openBrowser, ...options });
}

/** Forgets a sign-in, by the name of the server or, if nobody writes it down any more, by the name it had then. */
export async function signOut(discovery: Discovery, name: string): Promise<SignedOut> {
  const upstream = await import('../upstream/index.js');
  const store = upstream.credentialStore(credentialPath(discovery.host));
  const url = discovery.held.find((one) => one.name === name)?.active.url;
  const kept = store.list().find((one) => one.server === name)?.resource;
  const at = url ?? kept;
  return at === undefined ? { kind: 'was-not' } : upstream.signOut(at, store);
}

/** Who is signed in where, out of the file of credentials. */
export async function signedIn(path: string): Promise<readonly SignedIn[]> {
  const upstream = await import('../upstream/index.js');
  return upstream.signedIn(upstream.credentialStore(path));
}
