import { join } from 'node:path';
import { DEFAULT_SHUTDOWN_MS, diskFiles, type Files, isObject, MAX_SHUTDOWN_MS } from '../base/index.js';

/** The user's settings for the daemon and the bridge. */
export interface BridgeSettings {
  readonly socketPath?: string;
  readonly autoConnect: boolean;
  readonly reconnect: { readonly enabled: boolean; readonly maxAttempts: number; readonly initialDelayMs: number };
  readonly clientId?: string;
  /** How long running requests may continue after SIGTERM or SIGINT. */
  readonly shutdownMs: number;
}

export const BRIDGE_DEFAULTS: BridgeSettings = {
  autoConnect: true,
  reconnect: { enabled: true, maxAttempts: 5, initialDelayMs: 1_000 },
  shutdownMs: DEFAULT_SHUTDOWN_MS,
};

/** The path of the managed settings. On other platforms it is not constant, so the full reader must find it. */
const MANAGED: Readonly<Record<string, string>> = {
  linux: '/etc/portolan/managed-settings.json',
  darwin: '/Library/Application Support/Portolan/managed-settings.json',
};
const CODE = ['ts', 'mts', 'js', 'mjs'] as const;
/** File names that are read if there is no `portolan.config.*`. */
const SHARED = ['anygpt.config.ts', 'anygpt.config.json'] as const;

/**
 * Reads the user's settings without loading the full settings reader, because the bridge must start fast.
 * Returns undefined if that is not enough: settings in TypeScript, managed settings, or anything unusual.
 */
export function quickSettings(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
  files: Pick<Files, 'read' | 'exists'> = diskFiles,
  platform: string = process.platform,
): BridgeSettings | undefined {
  const managed = MANAGED[platform];
  if (env.XDG_CONFIG_HOME || env.PORTOLAN_TIMEOUTS_SHUTDOWN_MS || managed === undefined || files.exists(managed))
    return undefined;
  const folder = join(home, '.config', 'portolan');
  const own = join(folder, 'portolan.config');
  if (CODE.some((ending) => files.exists(`${own}.${ending}`))) return undefined;
  const reading = files.read(`${own}.json`);
  if (reading.kind === 'absent')
    return SHARED.some((name) => files.exists(join(folder, name))) ? undefined : BRIDGE_DEFAULTS;
  return reading.kind === 'read' ? readSettings(reading.text) : undefined;
}

function readSettings(text: string): BridgeSettings | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const bridge = isObject(value.mcpBridge) ? value.mcpBridge : {};
  const reconnect = isObject(bridge.reconnect) ? bridge.reconnect : {};
  const timeouts = isObject(value.timeouts) ? value.timeouts : {};
  const client = isObject(value.client) ? value.client : {};
  const usual = BRIDGE_DEFAULTS.reconnect;
  const count = (given: unknown, otherwise: number) =>
    typeof given === 'number' && Number.isSafeInteger(given) && given >= 0 ? given : otherwise;
  return {
    autoConnect: bridge.autoConnect !== false,
    reconnect: {
      enabled: reconnect.enabled !== false,
      maxAttempts: count(reconnect.maxAttempts, usual.maxAttempts),
      initialDelayMs: count(reconnect.initialDelayMs, usual.initialDelayMs),
    },
    shutdownMs: Math.min(count(timeouts.shutdownMs, BRIDGE_DEFAULTS.shutdownMs), MAX_SHUTDOWN_MS),
    ...(typeof bridge.socketPath === 'string' && { socketPath: bridge.socketPath }),
    ...(typeof client.id === 'string' && { clientId: client.id }),
  };
}
