import type { SettingLines } from './setting-keys.js';
import type { SettingsScope } from './settings-files.js';
import type { SettingsFile } from './settings-schema.js';

/** What one file, variable or caller says, as far as it counts. */
export interface SettingsLayer {
  readonly source: string;
  readonly scope: SettingsScope | 'environment' | 'options';
  readonly settings: SettingsFile;
  /** Only a file in JSON tells in which line a setting is. */
  readonly lines?: SettingLines;
}
