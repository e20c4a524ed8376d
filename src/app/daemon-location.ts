import { daemonSocketPath } from '../base/index.js';
import { type BridgeSettings, quickSettings } from '../bridge/index.js';
import { type DiscoverOptions, hostOf } from '../discovery/index.js';
import { inspectOwnSettings } from '../use-cases/index.js';

export interface DaemonLocation {
  readonly socket: string;
  readonly settings: BridgeSettings;
}

/** The paths and settings of the user's daemon. Project settings are ignored, because all projects share the daemon. */
export async function daemonLocation(machine: DiscoverOptions, flag?: string): Promise<DaemonLocation> {
  const { home, env } = hostOf(machine);
  const settings = quickSettings(home, env) ?? (await allSettings({ ...machine, cwd: home }));
  return { socket: daemonSocketPath({ flag, env, home, setting: settings.socketPath }), settings };
}

async function allSettings(machine: DiscoverOptions): Promise<BridgeSettings> {
  const { settings } = await inspectOwnSettings(machine);
  const { socketPath, autoConnect, reconnect } = settings.mcpBridge;
  const { id } = settings.client;
  return {
    autoConnect,
    reconnect,
    shutdownMs: settings.timeouts.shutdownMs,
    ...(socketPath !== undefined && { socketPath }),
    ...(id !== undefined && { clientId: id }),
  };
}
