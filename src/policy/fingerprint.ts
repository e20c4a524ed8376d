import { type Brand, sha256 } from '../base/index.js';
import type { Definition, LaunchFields } from '../model/index.js';

export type Fingerprint = Brand<string, 'Fingerprint'>;

/** Everything of an entry that decides what runs or is reached, and with what. */
export type LaunchContent = LaunchFields &
  Pick<Partial<Definition>, 'headersHelper' | 'envFile' | 'oauth' | 'standsFor'>;

/** A hash over what will run and nothing else: the name of a server is not part of it. */
export function fingerprint(behaviour: LaunchContent): Fingerprint {
  return sha256(canonical(behaviour)) as Fingerprint;
}

/** One text for one behaviour: the order in which variables and headers are written changes nothing, any other byte does. */
export function canonical(behaviour: LaunchContent): string {
  const { command, args, env, cwd, url, headers, headersHelper, envFile, oauth = {}, standsFor } = behaviour;
  const signIn = pairs(oauth);
  const optional = (text: string | undefined) => text ?? null;
  return JSON.stringify([
    optional(command),
    args ?? [],
    pairs(env),
    optional(cwd),
    optional(url),
    pairs(headers),
    optional(headersHelper),
    optional(envFile),
    // It names who gets our keys. Left out where it says nothing: what was approved before it counted stays approved.
    ...(signIn.length > 0 ? [signIn] : []),
    // A yes to an address is no yes to using it in the place of another server.
    ...(standsFor === undefined ? [] : [standsFor]),
  ]);
}

function pairs<T>(record: Readonly<Record<string, T>> = {}): [string, T][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
