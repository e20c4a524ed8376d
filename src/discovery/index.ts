export { admitServers, admittedServers, namesForRules } from './admit-servers.js';
export { checkFiles } from './check-files.js';
export { configFolder, type DiscoverOptions, type Discovery, discover, hostOf, scanMachine } from './discover.js';
export { isRunning } from './match-running.js';
export { type OwnFolders, ownFolders } from './own-folders.js';
export { programFiles } from './program-file.js';
export type { Held } from './resolve-definitions.js';
export { distinctServers, readRunning, runningSignature, transportsOf } from './running-servers.js';
export { mixedNameText } from './server-problems.js';
