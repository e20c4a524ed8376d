import type { Brand } from '../base/index.js';
import type { Definition, LaunchFields } from '../model/index.js';
import { maskDefinition } from '../model/index.js';
import { canonical, type Fingerprint, fingerprint } from './fingerprint.js';

/** A keyed hash over the expanded behaviour of an entry: it says whether this was approved, and nothing about what it was. */
export type Seal = Brand<string, 'Seal'>;

/** Makes the seal of an entry with the user's own key. */
export function sealOf(definition: Definition, hmac: (text: string) => string): Seal {
  return hmac(canonical(definition)) as Seal;
}

/** Makes the seal of a text that is to be run, with the user's own key. */
export function sealText(path: string, text: string, hmac: (text: string) => string): Seal {
  return hmac(JSON.stringify(['text', path, text])) as Seal;
}

/** What a person decided about one content, and what it looked like then: references as written, secrets masked. */
export interface Ruling {
  readonly verdict: 'approved' | 'denied';
  readonly name: string;
  readonly source: string;
  readonly at: string;
  readonly shown: LaunchFields;
}

/** Everything that was ever decided, by seal. An old content that comes back needs no new question. */
export type Rulings = ReadonlyMap<Seal, Ruling>;

/** The last time that something was decided about this name in this file: what a change is compared with. */
export function lastRuling(rulings: Rulings, definition: Definition): Ruling | undefined {
  const known = [...rulings.values()].filter(
    ({ name, source }) => name === definition.name && source === definition.source,
  );
  return known.reduce<Ruling | undefined>((last, next) => (last && last.at > next.at ? last : next), undefined);
}

/** The entry as it may be stored and shown. */
export function shownForm(definition: Definition): LaunchFields {
  return maskDefinition(definition).written;
}

/** What a team reviews: the entry as written, literal secrets by name only, so that it is the same for everybody. */
export function reviewHash(definition: Definition): Fingerprint {
  const { headersHelper, envFile } = maskDefinition(definition);
  return fingerprint({
    ...shownForm(definition),
    ...(headersHelper !== undefined && { headersHelper }),
    ...(envFile !== undefined && { envFile }),
  });
}
