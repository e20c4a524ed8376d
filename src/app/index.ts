export { entryFrom } from '../sources/index.js';
export { type DiscoverOptions, type Discovery, discover, discoverAll } from './discover.js';
export { type Explanation, explain, type Fate, launchText, surroundingsText } from './explain.js';
export { type Installed, install, uninstall } from './install.js';
export { addServer, type Import, importServers, type NewServer, removeServer } from './own-servers.js';
export { inspectOwnSettings, type OwnSettings, type SettingRow } from './own-settings.js';
export { approveSettings, pendingQuestions, type Question, questionAbout, rule, writeLock } from './rule.js';
