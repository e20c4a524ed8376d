import { matchesWildcard } from '../base/index.js';
import { DEFAULTS, deepFreeze, type Settings, type ToolRule } from './default-settings.js';
import type { SettingsFile } from './settings-schema.js';

/**
 * Merges a file over one of lower precedence: single values are replaced, lists are concatenated, higher precedence
 * first.
 */
export function over(lower: SettingsFile, upper: SettingsFile): SettingsFile {
  return {
    ...lower,
    ...upper,
    ...((lower.cache || upper.cache) && { cache: { ...lower.cache, ...upper.cache } }),
    ...((lower.timeouts || upper.timeouts) && { timeouts: { ...lower.timeouts, ...upper.timeouts } }),
    ...((lower.startTimeouts || upper.startTimeouts) && {
      startTimeouts: { ...lower.startTimeouts, ...upper.startTimeouts },
    }),
    ...((lower.limits || upper.limits) && { limits: { ...lower.limits, ...upper.limits } }),
    ...((lower.share || upper.share) && { share: { ...lower.share, ...upper.share } }),
    ...((lower.mcpBridge || upper.mcpBridge) && { mcpBridge: bridge(lower.mcpBridge, upper.mcpBridge) }),
    ...((lower.client || upper.client) && { client: { ...lower.client, ...upper.client } }),
    ...((lower.http || upper.http) && { http: { ...lower.http, ...upper.http } }),
    ...((lower.search || upper.search) && { search: { ...lower.search, ...upper.search } }),
    ...((lower.sandbox || upper.sandbox) && { sandbox: { ...lower.sandbox, ...upper.sandbox } }),
    ...listed('sources', upper.sources, lower.sources),
    ...listed('toolRules', upper.toolRules, lower.toolRules),
    ...listed('connectors', upper.connectors, lower.connectors),
    ...listed('allowedMcpServers', upper.allowedMcpServers, lower.allowedMcpServers),
    ...listed('deniedMcpServers', upper.deniedMcpServers, lower.deniedMcpServers),
    ...listed('passEnv', upper.passEnv, lower.passEnv),
  };
}

function bridge(lower: SettingsFile['mcpBridge'], upper: SettingsFile['mcpBridge']) {
  const reconnect = (lower?.reconnect || upper?.reconnect) && { ...lower?.reconnect, ...upper?.reconnect };
  return { ...lower, ...upper, ...(reconnect && { reconnect }) };
}

/** A missing list and an empty one differ: an empty allow list allows nothing. */
function listed<K extends string, T>(key: K, first: readonly T[] | undefined, then: readonly T[] | undefined) {
  if (!first && !then) return {};
  const list: Partial<Record<K, readonly T[]>> = {};
  list[key] = [...(first ?? []), ...(then ?? [])];
  return list;
}

/** Applies the managed settings: the other settings may restrict them further, never widen them. */
export function restrictedByManaged(lower: SettingsFile, managed: SettingsFile): SettingsFile {
  const enabled = both(lower.enabled, managed.enabled);
  const cacheEnabled = both(lower.cache?.enabled, managed.cache?.enabled);
  const cache = { ...lower.cache, ...managed.cache, ...lowest(lower.cache, managed.cache) };
  return {
    ...over(lower, managed),
    ...(enabled !== undefined && { enabled }),
    ...((lower.pluginOnly || managed.pluginOnly) && { pluginOnly: true }),
    ...((lower.elicitation === false || managed.elicitation === false) && { elicitation: false }),
    ...((lower.correctArguments === false || managed.correctArguments === false) && { correctArguments: false }),
    ...((lower.pins === 'enforce' || managed.pins === 'enforce') && { pins: 'enforce' as const }),
    ...(lower.approvalFiles &&
      managed.approvalFiles && { approvalFiles: stricter(lower.approvalFiles, managed.approvalFiles) }),
    ...((lower.approval === 'all' || managed.approval === 'all') && { approval: 'all' as const }),
    ...((lower.cache || managed.cache) && {
      cache: { ...cache, ...(cacheEnabled !== undefined && { enabled: cacheEnabled }) },
    }),
    ...((lower.timeouts || managed.timeouts) && {
      timeouts: { ...lower.timeouts, ...managed.timeouts, ...lowest(lower.timeouts, managed.timeouts) },
    }),
    ...((lower.limits || managed.limits) && {
      limits: { ...lower.limits, ...managed.limits, ...lowest(lower.limits, managed.limits) },
    }),
    ...((lower.sandbox || managed.sandbox) && {
      sandbox: { ...lower.sandbox, ...managed.sandbox, ...lowest(lower.sandbox, managed.sandbox) },
    }),
    ...(managed.allowedMcpServers && { allowedMcpServers: managed.allowedMcpServers }),
    ...((lower.toolDefault === 'disabled' || managed.toolDefault === 'disabled') && {
      toolDefault: 'disabled' as const,
    }),
    ...listed(
      'toolRules',
      managed.toolRules,
      managed.toolDefault === 'disabled' ? withoutEnabling(lower.toolRules) : lower.toolRules,
    ),
    ...(managed.passEnv && { passEnv: lower.passEnv ? within(lower.passEnv, managed.passEnv) : managed.passEnv }),
  };
}

type FileChanges = NonNullable<SettingsFile['approvalFiles']>;
const FROM_STRICT_TO_LOOSE: readonly FileChanges[] = ['ask', 'warn', 'off'];

/** The stricter of two ways to treat changed files. */
export function stricter(one: FileChanges, other: FileChanges): FileChanges {
  return FROM_STRICT_TO_LOOSE.find((way) => way === one || way === other) ?? 'ask';
}

function both(a: boolean | undefined, b: boolean | undefined): boolean | undefined {
  return a === undefined || b === undefined ? (a ?? b) : a && b;
}

/** The lower number of each key that both have. */
function lowest(a: object | undefined, b: object | undefined): Record<string, number> {
  const upper = new Map<string, unknown>(Object.entries(b ?? {}));
  return Object.fromEntries(
    Object.entries(a ?? {}).flatMap(([key, value]: [string, unknown]) => {
      const other = upper.get(key);
      return typeof value === 'number' && typeof other === 'number' ? [[key, Math.min(value, other)]] : [];
    }),
  );
}

/** Below an allow-list, an enabling rule would add tools to it, so only its tags are kept. */
export function withoutEnabling(rules: SettingsFile['toolRules']): ToolRule[] | undefined {
  return rules?.flatMap((rule) => (rule.enabled === true ? tagsOnly(rule) : [rule]));
}

function tagsOnly({ pattern, server, tags }: ToolRule): ToolRule[] {
  return tags ? [{ pattern, ...(server !== undefined && { server }), tags }] : [];
}

function within(names: readonly string[], allowed: readonly string[]): string[] {
  return names.filter((name) => allowed.some((pattern) => matchesWildcard(pattern, name)));
}

/** Adds the defaults of all settings that are not configured. */
export function complete(file: SettingsFile): Settings {
  const { $schema: _, ...set } = file;
  return deepFreeze<Settings>({
    ...DEFAULTS,
    ...set,
    cache: { ...DEFAULTS.cache, ...set.cache },
    timeouts: { ...DEFAULTS.timeouts, ...set.timeouts },
    limits: { ...DEFAULTS.limits, ...set.limits },
    mcpBridge: {
      ...DEFAULTS.mcpBridge,
      ...set.mcpBridge,
      reconnect: { ...DEFAULTS.mcpBridge.reconnect, ...set.mcpBridge?.reconnect },
    },
    http: { ...DEFAULTS.http, ...set.http },
    search: { ...DEFAULTS.search, ...set.search },
    sandbox: { ...DEFAULTS.sandbox, ...set.sandbox },
  });
}
