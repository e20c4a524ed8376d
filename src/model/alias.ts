import type { Brand } from '../base/index.js';

export type Alias = Brand<string, 'Alias'>;

/** A Python identifier for a server or tool; `taken` keeps apart two names that clean up to the same one. */
export function toAlias(name: string, taken: ReadonlySet<string>): Alias {
  const cleaned = name.toLowerCase().replaceAll(/[^a-z0-9_]+/g, '_') || '_';
  const base = /^\d/.test(cleaned) ? `_${cleaned}` : cleaned;
  let alias = base;
  for (let n = 2; taken.has(alias); n += 1) alias = `${base}_${n}`;
  return alias as Alias;
}
