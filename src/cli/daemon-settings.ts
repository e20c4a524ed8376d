import { daemonPlace } from '../app/index.js';
import type { BridgeSettings } from '../bridge/index.js';

/** What the user has set about the daemon, read with all the means there are. */
export async function slowSettings(): Promise<BridgeSettings> {
  return (await daemonPlace({})).settings;
}
