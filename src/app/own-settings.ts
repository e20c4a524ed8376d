import { inspectSettings, type LoadedSettings, leavesOf } from '../settings/index.js';
import { type DiscoverOptions, hostOf } from './discover.js';

/** One value that holds, by the key a person would write, and where it was written: nowhere for a default. */
export interface SettingRow {
  readonly key: string;
  readonly value: unknown;
  readonly from: readonly string[];
}

export interface OwnSettings extends LoadedSettings {
  readonly rows: readonly SettingRow[];
}

/** Portolan's own settings on this machine, with what is wrong in them as problems. */
export async function inspectOwnSettings(
  options: DiscoverOptions & { readonly isApproved?: (path: string, text: string) => boolean } = {},
): Promise<OwnSettings> {
  const { isApproved } = options;
  const loaded = await inspectSettings({ ...hostOf(options), ...(isApproved && { isApproved }) });
  const rows = [...leavesOf(loaded.settings)].map(([key, value]) => ({ key, value, from: loaded.origins[key] ?? [] }));
  return { ...loaded, rows };
}
