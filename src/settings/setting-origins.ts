import type { Settings } from './default-settings.js';
import { isSame, leavesOf } from './setting-keys.js';
import type { SettingsLayer } from './settings-layer.js';

/** The source of one value. */
export type SettingOrigin =
  | { readonly kind: 'file'; readonly path: string; readonly line?: number }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'options' };

/** The sources of each value, by key. Keys with their default are missing. */
export function originsOf(
  settings: Settings,
  layers: readonly SettingsLayer[],
): Readonly<Record<string, readonly SettingOrigin[]>> {
  const written = layers.map((layer) => ({ layer, leaves: leavesOf(layer.settings) }));
  const origins = [...leavesOf(settings)].map(([key, value]): [string, SettingOrigin[]] => {
    const having = written.filter(({ leaves }) => leaves.has(key));
    // Lists are concatenated from several layers; any other value comes from one layer.
    if (Array.isArray(value)) return [key, having.map(({ layer }) => originOf(layer, key))];
    const last = having.findLast(({ leaves }) => isSame(leaves.get(key), value));
    return [key, last ? [originOf(last.layer, key)] : []];
  });
  return Object.fromEntries(origins.filter(([, places]) => places.length > 0));
}

function originOf({ scope, source, lines }: SettingsLayer, key: string): SettingOrigin {
  if (scope === 'options') return { kind: 'options' };
  if (scope === 'environment') return { kind: 'environment', variable: source.slice(1) };
  const line = lines?.[key];
  return { kind: 'file', path: source, ...(line !== undefined && { line }) };
}
