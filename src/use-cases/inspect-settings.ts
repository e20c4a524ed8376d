import { configFolder, type DiscoverOptions, hostOf } from '../discovery/index.js';
import { approvalFiles, isSettingsApproved, readApprovals } from '../policy/index.js';
import { inspectSettings, type LoadedSettings, leavesOf, type SettingOrigin } from '../settings/index.js';

export type { SettingOrigin };

/** A setting with its current value and its origins; `from` is empty for a default. */
interface SettingRow {
  readonly key: string;
  readonly value: unknown;
  readonly from: readonly SettingOrigin[];
}

export interface OwnSettings extends LoadedSettings {
  readonly rows: readonly SettingRow[];
}

/** Portolan's settings on this machine, and their problems. */
export async function inspectOwnSettings(options: DiscoverOptions = {}): Promise<OwnSettings> {
  const host = hostOf(options);
  const approvals = readApprovals(approvalFiles(configFolder(host), host), host);
  const loaded = await inspectSettings({ ...host, isApproved: isSettingsApproved(approvals) });
  const rows = [...leavesOf(loaded.settings)].map(([key, value]) => ({ key, value, from: loaded.origins[key] ?? [] }));
  return { ...loaded, rows };
}
