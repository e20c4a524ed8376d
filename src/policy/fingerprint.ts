import { type Brand, sha256 } from '../base/index.js';
import type { LaunchFields } from '../model/index.js';

export type Fingerprint = Brand<string, 'Fingerprint'>;

/** A hash over what will run and nothing else: the name of a server is not part of it. */
export function fingerprint({ command, args, env, cwd, url, headers }: LaunchFields): Fingerprint {
  const canonical = JSON.stringify([command ?? null, args ?? [], pairs(env), cwd ?? null, url ?? null, pairs(headers)]);
  return sha256(canonical) as Fingerprint;
}

/** The order in which variables and headers are written changes nothing. */
function pairs(record: Readonly<Record<string, string>> = {}): [string, string][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
