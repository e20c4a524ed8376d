export { askDaemon } from './ask-daemon.js';
export { BRIDGE_DEFAULTS, type BridgeSettings, quickSettings } from './bridge-settings.js';
export type { BridgeContext, DaemonMode } from './find-daemon.js';
export { type OwnGateway, type RunPipeOptions, runPipe } from './run-pipe.js';
export { claimStart, daemonLog, MEANT_BY_HAND, type StartOptions, startDaemon, unclaim } from './start-daemon.js';
