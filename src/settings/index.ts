export { DEFAULTS, type Settings, type ToolRule } from './default-settings.js';
export { inspectSettings, loadSettings } from './load-settings.js';
export type { LoadedSettings, WaitingFile } from './resolve-settings.js';
export { placedRules } from './rule-changes.js';
export { leavesOf } from './setting-keys.js';
export type { SettingOrigin } from './setting-origins.js';
export { isBroughtByProject } from './settings-files.js';
export { settingsJsonSchema } from './settings-json-schema.js';
export type { SettingsFile } from './settings-schema.js';
