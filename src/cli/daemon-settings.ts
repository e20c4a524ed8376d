import { daemonLocation } from '../app/index.js';
import type { BridgeSettings } from '../bridge/index.js';

/** The settings of the daemon, read by the full settings module: `quickSettings` cannot read code or several files. */
export async function slowSettings(): Promise<BridgeSettings> {
  return (await daemonLocation({})).settings;
}
