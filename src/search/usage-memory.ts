import type { RememberedUse } from './search-types.js';

export const MAX_USES_PER_TOOL = 8;
export const MAX_ABANDONED_PER_TOOL = 4;
export const MAX_USES = 2_000;
/** New uses in one day, so that a loop of calls cannot displace everything else. */
export const MAX_DAILY_USES_PER_TOOL = 4;
export const MAX_DAILY_USES = 200;
const MAX_QUERY_CHARACTERS = 300;
const MAX_NAME_CHARACTERS = 512;
const DAY_MS = 24 * 60 * 60 * 1000;
/** After this long a use counts half. */
const HALF_LIFE_MS = 90 * DAY_MS;
/** After ten half-lives nothing is left to count. */
const FORGOTTEN_MS = 10 * HALF_LIFE_MS;

/** The needs for which tools were called, few for each tool and fading. */
export class UsageMemory {
  readonly #now: () => number;
  /** By server and tool, the latest use last; so the first tool is the one that was not used for longest. */
  readonly #byTool = new Map<string, readonly RememberedUse[]>();
  #count = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Adds a use of this moment, unless the tool or all tools together have reached the limit of a day. */
  remember(use: Omit<RememberedUse, 'at'>): void {
    const now = this.#now();
    const own = this.#byTool.get(keyOf(use)) ?? [];
    const isKnown = own.some((other) => isSameNeed(other, trimmed(use.query)));
    if (!isKnown) {
      const isToday = ({ at }: RememberedUse): boolean => now - at < DAY_MS;
      if (own.filter(isToday).length >= MAX_DAILY_USES_PER_TOOL) return;
      if (this.all().filter(isToday).length >= MAX_DAILY_USES) return;
    }
    this.add({ ...use, at: now });
  }

  /** Adds a use that was remembered before. */
  add({ server, tool, abandoned, ...given }: RememberedUse): void {
    const query = trimmed(given.query);
    if (query === '' || server.length > MAX_NAME_CHARACTERS || tool.length > MAX_NAME_CHARACTERS) return;
    const at = Math.min(given.at, this.#now());
    if (this.#now() - at > FORGOTTEN_MS) return;
    const key = keyOf({ server, tool });
    const before = this.#byTool.get(key) ?? [];
    // The same words again are not further evidence, and the latest outcome is the valid one.
    const uses = before.filter((other) => !isSameNeed(other, query));
    uses.push({ server, tool, query, at, ...(abandoned && { abandoned }) });
    uses.sort((a, b) => a.at - b.at);
    const kept = latest(uses);
    this.#byTool.delete(key);
    this.#byTool.set(key, kept);
    this.#count += kept.length - before.length;
    this.#forgetOldest();
  }

  clear(): void {
    this.#byTool.clear();
    this.#count = 0;
  }

  all(): RememberedUse[] {
    return [...this.#byTool.values()].flat();
  }

  /** The uses of each tool. */
  byTool(): Iterable<readonly RememberedUse[]> {
    return this.#byTool.values();
  }

  /** How much a use still counts: less the longer ago it was. */
  strengthOf({ at }: RememberedUse): number {
    return 2 ** (-Math.max(0, this.#now() - at) / HALF_LIFE_MS);
  }

  #forgetOldest(): void {
    for (const [key, uses] of this.#byTool) {
      if (this.#count <= MAX_USES) return;
      this.#byTool.delete(key);
      this.#count -= uses.length;
    }
  }
}

/** Uses as they were kept somewhere; what is no use is left out. */
export function parseUses(written: unknown): readonly RememberedUse[] {
  if (!Array.isArray(written)) return [];
  return written.slice(-MAX_USES).flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return [];
    if (!('server' in entry && 'tool' in entry && 'query' in entry && 'at' in entry)) return [];
    const { server, tool, query, at } = entry;
    if (typeof server !== 'string' || typeof tool !== 'string' || typeof query !== 'string') return [];
    if (typeof at !== 'number' || !Number.isFinite(at)) return [];
    return [{ server, tool, query, at, ...('abandoned' in entry && entry.abandoned === true && { abandoned: true }) }];
  });
}

/** The latest uses, and fewer that were abandoned: these must not fill the memory of a tool. */
function latest(uses: readonly RememberedUse[]): readonly RememberedUse[] {
  const [good, bad] = [uses.filter(({ abandoned }) => !abandoned), uses.filter(({ abandoned }) => abandoned)];
  const kept = new Set([...good.slice(-MAX_USES_PER_TOOL), ...bad.slice(-MAX_ABANDONED_PER_TOOL)]);
  return uses.filter((use) => kept.has(use));
}

function trimmed(query: string): string {
  return query.slice(0, MAX_QUERY_CHARACTERS).trim();
}

function isSameNeed(use: RememberedUse, query: string): boolean {
  return use.query.toLowerCase() === query.toLowerCase();
}

function keyOf({ server, tool }: Pick<RememberedUse, 'server' | 'tool'>): string {
  return JSON.stringify([server, tool]);
}
