/** The maps that group settings. What stands in them is set key by key; every other value is set whole. */
const GROUPS: ReadonlySet<string> = new Set([
  ...[
    'cache',
    'timeouts',
    'limits',
    'share',
    'mcpBridge',
    'mcpBridge.reconnect',
    'client',
    'http',
    'search',
    'sandbox',
  ],
]);

/** Every single thing that is set, by the key that a person would write for it: `timeouts.callMs`. */
export function leavesOf(settings: object, prefix = ''): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [key, value] of Object.entries(settings)) {
    const path = `${prefix}${key}`;
    if (value === undefined || path === '$schema') continue;
    if (GROUPS.has(path) && typeof value === 'object' && value !== null) {
      for (const [inner, leaf] of leavesOf(value, `${path}.`)) found.set(inner, leaf);
    } else found.set(path, value);
  }
  return found;
}

/** The line in which each setting is written, by its key. A setting whose line is unknown is missing. */
export type SettingLines = Readonly<Record<string, number>>;

/** Two values that would be written the same. Both come from parsers and schemas, which keep the order of keys. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
