import type { SettingLines } from './setting-keys.js';
import type { SettingsScope } from './settings-files.js';
import type { SettingsFile } from './settings-schema.js';

/** The effective settings of one file, variable or caller. */
export interface SettingsLayer {
  readonly source: string;
  readonly scope: SettingsScope | 'environment' | 'options';
  readonly settings: SettingsFile;
  /** Known only for JSON files. */
  readonly lines?: SettingLines;
}
