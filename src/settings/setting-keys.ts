/** The maps that group settings. Their members are set one by one; every other value is set as a whole. */
const GROUPS: ReadonlySet<string> = new Set([
  ...[
    'cache',
    'timeouts',
    'startTimeouts',
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

/** Every single setting by its key, such as `timeouts.callMs`. */
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

/** The line of each setting, by key. Unknown lines are missing. */
export type SettingLines = Readonly<Record<string, number>>;

/** Compares by serialization, because parsers and schemas keep the order of keys. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
