export { checkFiles } from './check-files.js';
export { configFolder, type DiscoverOptions, type Discovery, discover, hostOf, scanMachine } from './discover.js';
export { isRunning } from './match-running.js';
export { namesForRules } from './names-for-rules.js';
export { type OwnFolders, ownFolders } from './own-folders.js';
export { type FoundProgram, findProgram, programFiles } from './program-file.js';
export { distinctServers, readRunning, runningSignature, transportsOf } from './running-servers.js';
export { mixedNameText } from './server-problems.js';
export { toRecord } from './to-record.js';
