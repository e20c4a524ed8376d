export { askDaemon } from './ask-daemon.js';
export { type BridgeSettings, quickSettings } from './bridge-settings.js';
export { type DaemonRequests, openDaemonRequests } from './daemon-requests.js';
export { DaemonSilent } from './dial-daemon.js';
export type { DaemonMode } from './find-daemon.js';
export { type OwnGateway, runPipe } from './run-pipe.js';
export { claimStart, daemonLog, MANUAL_START_VARIABLES, releaseStartClaim, startDaemon } from './start-daemon.js';
