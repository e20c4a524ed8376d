export { askDaemon } from './ask-daemon.js';
export { type BridgeSettings, quickSettings } from './bridge-settings.js';
export { DaemonSilent } from './dial-daemon.js';
export type { DaemonMode } from './find-daemon.js';
export { type OwnGateway, runPipe } from './run-pipe.js';
export { claimStart, daemonLog, MEANT_BY_HAND, startDaemon, unclaim } from './start-daemon.js';
