import type { Brand } from '../base/index.js';
import type { Definition } from '../model/index.js';
import { maskDefinition } from '../model/index.js';
import type { ContentRecord } from './covered-content.js';
import { canonical, type Fingerprint, fingerprint, type LaunchContent } from './fingerprint.js';

/** A keyed hash over the expanded launch of an entry. It identifies the approved launch without revealing it. */
export type Seal = Brand<string, 'Seal'>;

/** Seals an entry with the user's key, bound to a directory if the same command means something else in another. */
export function sealOf(definition: Definition, folder: string | undefined, hmac: (text: string) => string): Seal {
  const text = canonical(definition);
  return hmac(folder === undefined ? text : JSON.stringify(['in', folder, text])) as Seal;
}

/** Seals a text that is to be run, with the user's key. */
export function sealText(path: string, text: string, hmac: (text: string) => string): Seal {
  return hmac(JSON.stringify(['text', path, text])) as Seal;
}

/** A person's ruling on one launch, with its description: references as written, secrets masked. */
export interface Ruling {
  readonly verdict: 'approved' | 'denied';
  readonly name: string;
  readonly source: string;
  readonly at: string;
  readonly shown: LaunchContent;
  /** For approvals: the covered files at that time. */
  readonly content?: ContentRecord;
}

/** All rulings by seal. Returning to an earlier launch needs no new approval. */
export type Rulings = ReadonlyMap<Seal, Ruling>;

/** The latest ruling on this name in this file, to show what changed. */
export function lastRuling(rulings: Rulings, definition: Definition): Ruling | undefined {
  const known = [...rulings.values()].filter(
    ({ name, source }) => name === definition.name && source === definition.source,
  );
  return known.reduce<Ruling | undefined>((last, next) => (last && last.at > next.at ? last : next), undefined);
}

/** The entry in a form that may be stored and shown. */
export function shownForm(definition: Definition): LaunchContent {
  const { written, headersHelper, standsFor } = maskDefinition(definition);
  return {
    ...written,
    ...(headersHelper !== undefined && { headersHelper }),
    ...(standsFor !== undefined && { standsFor }),
  };
}

/**
 * The hash that a team reviews: the entry as written, with literal secrets by name only, so that it is the same for
 * everybody.
 */
export function reviewHash(definition: Definition): Fingerprint {
  return fingerprint(shownForm(definition));
}
