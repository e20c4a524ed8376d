import type { Problem } from '../model/index.js';
import { DEFAULTS, deepFreeze, type Settings } from './default-settings.js';
import { complete, over, restrictedByManaged } from './merge-settings.js';
import { narrowToRestrictions } from './narrow-settings.js';
import type { FileResult } from './read-settings-file.js';
import { ruleChanges } from './rule-changes.js';
import { originsOf, type SettingOrigin } from './setting-origins.js';
import type { SettingsFileCandidate, SettingsScope } from './settings-files.js';
import type { SettingsLayer } from './settings-layer.js';
import type { SettingsFile } from './settings-schema.js';

/** How a possible settings file was treated. */
interface SettingsSource {
  readonly path: string;
  readonly scope: SettingsScope;
  readonly kind: 'used' | 'partly' | 'ignored' | 'broken' | 'absent';
}

export interface LoadedSettings {
  readonly settings: Settings;
  readonly problems: readonly Problem[];
  readonly sources: readonly SettingsSource[];
  /** Lowest precedence first. For rules that apply to each file separately (allow lists, tool rules). */
  readonly layers: readonly SettingsLayer[];
  /** The sources of each value that is not a default, by key, such as `timeouts.callMs`. */
  readonly origins: Readonly<Record<string, readonly SettingOrigin[]>>;
  /** Files of the project with settings that apply only after a person approves their text. */
  readonly waiting: readonly WaitingFile[];
}

export interface WaitingFile {
  readonly path: string;
  readonly text: string;
}

export interface ReadFile {
  readonly candidate: SettingsFileCandidate;
  readonly result: FileResult | { readonly kind: 'passed-over'; readonly for: string };
}

/**
 * Merges all files into the effective settings: the user's files, the permitted part of the project's, variables and
 * flags, and managed settings over all.
 */
export function resolveSettings(read: readonly ReadFile[], given: readonly SettingsLayer[]): LoadedSettings {
  const own = outcomesOf(read, 'user', DEFAULTS);
  const user = own.flatMap(layersOf);
  const project = outcomesOf(read, 'project', complete(stack([...user, ...given])));
  const managed = outcomesOf(read, 'managed', DEFAULTS);
  const lower = [...user, ...project.flatMap(layersOf), ...given].map(withoutManagedOnly);
  const layers = [...lower.map(({ layer }) => layer), ...managed.flatMap(layersOf)];
  const outcomes = [...own, ...project, ...managed];
  const problems = [...[...outcomes, ...lower].flatMap((one) => one.problems), ...ruleChanges(layers)];
  const together = restrictedByManaged(stack(lower.map(({ layer }) => layer)), stack(managed.flatMap(layersOf)));
  // An unreadable managed file may have forbidden anything.
  const isClosed = managed.some(({ source }) => source.kind === 'broken');
  const settings =
    layers.length === 0 && !isClosed ? DEFAULTS : complete({ ...together, ...(isClosed && { enabled: false }) });
  return deepFreeze({
    settings,
    problems,
    sources: outcomes.map(({ source }) => source),
    layers,
    origins: originsOf(settings, layers),
    waiting: outcomes.flatMap(({ waiting }) => waiting ?? []),
  });
}

function stack(layers: readonly SettingsLayer[]): SettingsFile {
  return layers.reduce<SettingsFile>((lower, { settings }) => over(lower, settings), {});
}

interface Outcome {
  readonly source: SettingsSource;
  readonly layer?: SettingsLayer;
  readonly problems: readonly Problem[];
  readonly waiting?: WaitingFile;
}

const layersOf = ({ layer }: Outcome): SettingsLayer[] => (layer ? [layer] : []);

function outcomesOf(read: readonly ReadFile[], scope: SettingsScope, current: Settings): Outcome[] {
  return read.filter(({ candidate }) => candidate.scope === scope).map((one) => outcomeOf(one, current));
}

function outcomeOf({ candidate, result }: ReadFile, current: Settings): Outcome {
  const { path, scope, isShared = false } = candidate;
  const source = (kind: SettingsSource['kind']) => ({ path, scope, kind });
  switch (result.kind) {
    case 'absent':
      return { source: source('absent'), problems: [] };
    case 'invalid':
      return { source: source('broken'), problems: result.problems };
    case 'passed-over':
      return { source: source('ignored'), problems: [passedOver(path, result.for, isShared)] };
    case 'waiting': {
      const waiting = { path, text: result.text };
      return { source: source('ignored'), problems: [notRun(path, isShared)], waiting };
    }
    case 'valid': {
      const { settings, lines, isApproved, text } = result;
      if (isApproved) return { source: source('used'), layer: { source: path, scope, settings, lines }, problems: [] };
      const { counts, waiting } = narrowToRestrictions(settings, current);
      const layer = { source: path, scope, settings: counts, lines };
      if (waiting.length === 0) return { source: source('used'), layer, problems: [] };
      const kind = Object.keys(counts).length > 0 ? 'partly' : 'ignored';
      const problems = waiting.map((key) => unapproved(path, key));
      return { source: source(kind), layer, problems, waiting: { path, text } };
    }
  }
}

/** Ignores the key outside of managed settings, because it disables the user's own lists. */
function withoutManagedOnly(layer: SettingsLayer): {
  readonly layer: SettingsLayer;
  readonly problems: readonly Problem[];
} {
  const { allowManagedMcpServersOnly, ...settings } = layer.settings;
  if (!allowManagedMcpServersOnly) return { layer: { ...layer, settings }, problems: [] };
  const problem: Problem = {
    code: 'settings-ignored',
    severity: 'warning',
    message: '"allowManagedMcpServersOnly" applies only in managed settings',
    hint: 'remove it here',
    source: layer.source,
  };
  return { layer: { ...layer, settings }, problems: [problem] };
}

const APPROVE = 'read the file, then approve it with `portolan approve --settings`';

function unapproved(source: string, key: string): Problem {
  return {
    code: 'settings-unapproved',
    severity: 'warning',
    message: `"${key}" of the project is ignored: it is less strict than your own settings, and it is not approved`,
    hint: APPROVE,
    source,
  };
}

function notRun(source: string, isShared: boolean): Problem {
  return {
    code: 'settings-unapproved',
    severity: isShared ? 'info' : 'warning',
    message: 'the settings of the project are code and not approved, so they were not run',
    hint: APPROVE,
    source,
  };
}

function passedOver(source: string, instead: string, isShared: boolean): Problem {
  return {
    code: 'settings-ignored',
    // Another program may need this file, so its existence is not a mistake.
    severity: isShared ? 'info' : 'warning',
    message: `it is ignored, because ${instead} takes precedence`,
    hint: isShared ? `to use its settings too, copy them into ${instead}` : 'keep one of them',
    source,
  };
}
