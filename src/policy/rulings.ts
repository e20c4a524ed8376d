import type { Brand } from '../base/index.js';
import type { Definition } from '../model/index.js';
import { maskDefinition } from '../model/index.js';
import type { ContentRecord } from './covered-content.js';
import { canonical, type Fingerprint, fingerprint, type LaunchContent } from './fingerprint.js';

/** A keyed hash over the expanded behaviour of an entry: it says whether this was approved, and nothing about what it was. */
export type Seal = Brand<string, 'Seal'>;

/** Makes the seal of an entry with the user's own key, for one folder where the same words mean something else in another. */
export function sealOf(definition: Definition, folder: string | undefined, hmac: (text: string) => string): Seal {
  const text = canonical(definition);
  return hmac(folder === undefined ? text : JSON.stringify(['in', folder, text])) as Seal;
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
  readonly shown: LaunchContent;
  /** Of an approval: the files that it covers, as they were. */
  readonly content?: ContentRecord;
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
export function shownForm(definition: Definition): LaunchContent {
  const { written, headersHelper, standsFor } = maskDefinition(definition);
  return {
    ...written,
    ...(headersHelper !== undefined && { headersHelper }),
    ...(standsFor !== undefined && { standsFor }),
  };
}

/** What a team reviews: the entry as written, literal secrets by name only, so that it is the same for everybody. */
export function reviewHash(definition: Definition): Fingerprint {
  return fingerprint(shownForm(definition));
}
