import { isObject } from '../base/index.js';
import type { Era, SupportedEras } from '../model/index.js';

/** Whether a server supports an era, and when it showed that. */
interface EraFact {
  readonly supported: boolean;
  readonly at: number;
}

export type KnownEras = Partial<Readonly<Record<Era, EraFact>>>;

const ERAS: readonly Era[] = ['legacy', 'modern'];
/** An updated server may support other eras. */
const VALID_MS = 7 * 24 * 3_600_000;
/** A confirmed fact is stored again after this time. */
const RENEW_MS = 24 * 3_600_000;

/** The eras that a server supports, as far as that is known and recent. */
export function recentEras(known: KnownEras | undefined, now: number): SupportedEras {
  const recent = ERAS.flatMap((era) => {
    const fact = known?.[era];
    return fact && Math.abs(now - fact.at) < VALID_MS ? [[era, fact.supported] as const] : [];
  });
  return Object.fromEntries(recent);
}

/** The era to try first in a handshake; undefined to find out which ones the server supports. */
export function eraToTry({ legacy, modern }: SupportedEras, wanted: Era | undefined): Era | undefined {
  if (legacy && modern) return wanted ?? 'modern';
  if (legacy && modern === false) return 'legacy';
  // A server that supports the current revision may support the older ones too.
  return modern && (legacy === false || wanted !== 'legacy') ? 'modern' : undefined;
}

/** The known eras with what a handshake showed; the same object if nothing changed. */
export function withFound(known: KnownEras = {}, found: SupportedEras, now: number): KnownEras {
  const news = ERAS.flatMap((era) => {
    const supported = found[era];
    const before = known[era];
    if (supported === undefined) return [];
    const isKnown = before?.supported === supported && Math.abs(now - before.at) < RENEW_MS;
    return isKnown ? [] : [[era, { supported, at: now }] as const];
  });
  return news.length === 0 ? known : { ...known, ...Object.fromEntries(news) };
}

/** The eras in a stored file; undefined if they are not valid. */
export function readEras(value: unknown): KnownEras | undefined {
  if (!isObject(value)) return undefined;
  const facts = ERAS.flatMap((era) => {
    const fact = Object.hasOwn(value, era) ? value[era] : undefined;
    const isFact = isObject(fact) && typeof fact.supported === 'boolean' && typeof fact.at === 'number';
    return isFact ? [[era, { supported: fact.supported, at: fact.at }] as const] : [];
  });
  return facts.length === Object.keys(value).length ? Object.fromEntries(facts) : undefined;
}
