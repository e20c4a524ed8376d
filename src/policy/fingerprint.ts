import { type Brand, sha256 } from '../base/index.js';
import type { Definition, LaunchFields } from '../model/index.js';

export type Fingerprint = Brand<string, 'Fingerprint'>;

/** All fields of an entry that determine what is started or reached, and with what. */
export type LaunchContent = LaunchFields &
  Pick<Partial<Definition>, 'headersHelper' | 'envFile' | 'oauth' | 'standsFor'>;

/** A hash over the launch only; the name of the server is not part of it. */
export function fingerprint(behaviour: LaunchContent): Fingerprint {
  return sha256(canonical(behaviour)) as Fingerprint;
}

/**
 * Serializes equal launches to the same text: the order of variables and headers does not matter, every other byte
 * does.
 */
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
    // Sign-in settings determine who receives our credentials. Omitted if empty, so that approvals from before this
    // field stay valid.
    ...(signIn.length > 0 ? [signIn] : []),
    // Approving a URL does not approve using it in place of another server.
    ...(standsFor === undefined ? [] : [standsFor]),
  ]);
}

function pairs<T>(record: Readonly<Record<string, T>> = {}): [string, T][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
