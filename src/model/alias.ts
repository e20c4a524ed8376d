import type { Brand } from '../base/index.js';

export type Alias = Brand<string, 'Alias'>;

/** A Python identifier for a server or tool. `taken` distinguishes names that would become the same identifier. */
export function toAlias(name: string, taken: ReadonlySet<string>): Alias {
  const cleaned = name.toLowerCase().replaceAll(/[^a-z0-9_]+/g, '_') || '_';
  const base = /^\d/.test(cleaned) ? `_${cleaned}` : cleaned;
  return (taken.has(base) ? `${base}_${freeNumber(base, taken)}` : base) as Alias;
}

/** Finds the first free number in a few steps, because all names in a non-Latin script become `_`. */
function freeNumber(base: string, taken: ReadonlySet<string>): number {
  let free = 2;
  while (taken.has(`${base}_${free}`)) free *= 2;
  for (let used = free / 2; free - used > 1; ) {
    const middle = (used + free) >> 1;
    if (taken.has(`${base}_${middle}`)) used = middle;
    else free = middle;
  }
  return free;
}
