import { type Brand, sha256 } from '../base/index.js';
import type { Definition, LaunchFields } from '../model/index.js';

export type Fingerprint = Brand<string, 'Fingerprint'>;

/** Everything of an entry that decides what runs or is reached, and with what. */
export type Behaviour = LaunchFields & Pick<Partial<Definition>, 'headersHelper' | 'envFile'>;

/** A hash over what will run and nothing else: the name of a server is not part of it. */
export function fingerprint(behaviour: Behaviour): Fingerprint {
  return sha256(canonical(behaviour)) as Fingerprint;
}

/** One text for one behaviour: the order in which variables and headers are written changes nothing, any other byte does. */
export function canonical({ command, args, env, cwd, url, headers, headersHelper, envFile }: Behaviour): string {
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
  ]);
}

function pairs(record: Readonly<Record<string, string>> = {}): [string, string][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
