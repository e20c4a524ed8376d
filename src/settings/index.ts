export { DEFAULTS, type ServerEntry, type Settings, type SourceSetting, type ToolRule } from './defaults.js';
export { isBroughtByProject, type SettingsHost, type SettingsScope } from './host.js';
export { leavesOf } from './leaves.js';
export { inspectSettings, loadSettings, type SettingsOptions } from './load.js';
export type { SettingsFile } from './schema.js';
export type { LoadedSettings, SettingsLayer, SettingsSource, WaitingFile } from './settle.js';
