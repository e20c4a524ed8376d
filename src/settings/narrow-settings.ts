import type { Settings } from './default-settings.js';
import { stricter, withoutEnabling } from './merge-settings.js';
import { isSame, leavesOf } from './setting-keys.js';
import type { SettingsFile } from './settings-schema.js';

/** The part of a file that applies without approval, and the keys that need approval. */
export interface Narrowed {
  readonly counts: SettingsFile;
  readonly waiting: readonly string[];
}

/** A repository may restrict, not widen: only settings that are stricter than `current` apply. */
export function narrowToRestrictions(file: SettingsFile, current: Settings): Narrowed {
  const timeouts = lower(file.timeouts, current.timeouts);
  const limits = lower(file.limits, current.limits);
  const sandbox = lower(file.sandbox, current.sandbox);
  const cache = {
    ...lower(file.cache, current.cache),
    ...(file.cache?.enabled === false && { enabled: false }),
  };
  // If the default is "enabled", an enabling rule can only make exceptions from the file's own toolDefault.
  const toolRules = current.toolDefault === 'enabled' ? file.toolRules : withoutEnabling(file.toolRules);
  const counts: SettingsFile = {
    ...(file.enabled === false && { enabled: false }),
    ...(file.pluginOnly === true && { pluginOnly: true }),
    ...(file.approval === 'all' && { approval: 'all' }),
    ...(file.approvalFiles &&
      file.approvalFiles !== current.approvalFiles &&
      stricter(file.approvalFiles, current.approvalFiles) === file.approvalFiles && {
        approvalFiles: file.approvalFiles,
      }),
    ...(file.pins === 'enforce' && { pins: 'enforce' }),
    ...(file.correctArguments === false && { correctArguments: false }),
    ...(file.elicitation === false && { elicitation: false }),
    ...(file.search?.remember === false && { search: { remember: false } }),
    ...(file.deniedMcpServers && { deniedMcpServers: file.deniedMcpServers }),
    ...(toolRules && { toolRules }),
    ...(file.toolDefault === 'disabled' && { toolDefault: 'disabled' }),
    ...(Object.keys(cache).length > 0 && { cache }),
    ...(Object.keys(timeouts).length > 0 && { timeouts }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(sandbox).length > 0 && { sandbox }),
  };
  const [counting, holding] = [leavesOf(counts), leavesOf(current)];
  const waiting = [...leavesOf(file)]
    .filter(([key, value]) => !isSame(counting.get(key), value) && !isSame(holding.get(key), value))
    .map(([key]) => key);
  return { counts, waiting };
}

function lower(wanted: object | undefined, current: object): Record<string, number> {
  const limits = new Map<string, unknown>(Object.entries(current));
  return Object.fromEntries(
    Object.entries(wanted ?? {}).filter((entry): entry is [string, number] => {
      const [key, value]: [string, unknown] = entry;
      const limit = limits.get(key);
      return typeof value === 'number' && typeof limit === 'number' && value < limit;
    }),
  );
}
