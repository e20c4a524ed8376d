import { ErrorCode, PortolanError } from '../base/index.js';
import type { Problem } from '../model/index.js';
import { fromEnvironment } from './environment-settings.js';
import { LOADERS, type Loaders, readSettingsFile, type SettingsReadContext } from './read-settings-file.js';
import { type LoadedSettings, type ReadFile, resolveSettings } from './resolve-settings.js';
import { candidates, type SettingsFileCandidate, type SettingsHost } from './settings-files.js';
import type { SettingsLayer } from './settings-layer.js';
import type { SettingsFile } from './settings-schema.js';

/** The timeout of settings that are code. */
const CODE_TIMEOUT_MS = 10_000;

export interface SettingsOptions extends SettingsHost {
  /** Returns whether a person approved this text of a project's file. Default: nothing is approved. */
  readonly isApproved?: (path: string, text: string) => boolean;
  /** Settings from a program or the command line; only managed settings take precedence over them. */
  readonly overrides?: SettingsFile;
  readonly codeTimeoutMs?: number;
  readonly loaders?: Loaders;
}

/** Loads the effective settings. Any error stops the start, because ignoring a part could disable a protection. */
export async function loadSettings(options: SettingsOptions): Promise<LoadedSettings> {
  const loaded = await inspectSettings(options);
  const errors = loaded.problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return loaded;
  throw new PortolanError(ErrorCode.SettingsInvalid, errors.map(sentence).join('\n'), {
    hint: 'correct the settings; `portolan config validate` checks them',
  });
}

function sentence({ source, line, message }: Problem): string {
  return `${source}${line === undefined ? '' : `:${line}`}: ${message}`;
}

/**
 * The same for commands that report errors: an invalid file is a problem, and an invalid managed file disables
 * everything.
 */
export async function inspectSettings(options: SettingsOptions): Promise<LoadedSettings> {
  const reading: SettingsReadContext = {
    host: options,
    isApproved: options.isApproved ?? (() => false),
    codeTimeoutMs: options.codeTimeoutMs ?? CODE_TIMEOUT_MS,
    loaders: options.loaders ?? LOADERS,
  };
  const read: ReadFile[] = [];
  for (const folder of candidates(options)) read.push(...(await readFolder(folder, reading)));
  const { layers, problems } = await readGiven(options, reading.loaders);
  const settled = resolveSettings(read, layers);
  return problems.length === 0 ? settled : { ...settled, problems: [...settled.problems, ...problems] };
}

/**
 * The first file of a directory is used. The others are reported, because users would wonder why they have no effect.
 */
async function readFolder(folder: readonly SettingsFileCandidate[], reading: SettingsReadContext): Promise<ReadFile[]> {
  const read: ReadFile[] = [];
  let first: string | undefined;
  for (const candidate of folder) {
    if (first !== undefined) {
      const isThere = reading.host.files.exists(candidate.path);
      read.push({ candidate, result: isThere ? { kind: 'passed-over', for: first } : { kind: 'absent' } });
      continue;
    }
    const result = await readSettingsFile(candidate, reading);
    if (result.kind !== 'absent') first = candidate.path;
    read.push({ candidate, result });
  }
  return read;
}

interface Given {
  readonly layers: readonly SettingsLayer[];
  readonly problems: readonly Problem[];
}

/** The environment variables, then the caller's settings. */
async function readGiven({ env, overrides }: SettingsOptions, loaders: Loaders): Promise<Given> {
  const written = [
    ...fromEnvironment(env).map(({ name, value }) => ({ source: `$${name}`, scope: 'environment' as const, value })),
    ...(overrides ? [{ source: 'options', scope: 'options' as const, value: overrides }] : []),
  ];
  if (written.length === 0) return { layers: [], problems: [] };
  const check = await loaders.check();
  const layers: SettingsLayer[] = [];
  const problems: Problem[] = [];
  for (const { source, scope, value } of written) {
    const checked = check({ source, value, lineOf: () => undefined });
    if (checked.kind === 'valid') layers.push({ source, scope, settings: checked.settings });
    else problems.push(...checked.problems);
  }
  return { layers, problems };
}
