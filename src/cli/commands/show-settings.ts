import { assertNever, maskArgs, maskUrl } from '../../base/index.js';
import type { Problem } from '../../model/index.js';
import type { OwnSettings, SettingOrigin } from '../../use-cases/index.js';
import { EXIT, type Io } from '../runtime/command.js';
import { type Cell, paint, plural, shortPath, table, visible } from '../runtime/terminal-text.js';

/** Prints each setting with its origin, and the problems of invalid files. */
export function showSettings({ settings, rows, sources, problems }: OwnSettings, io: Io, flags: ShowFlags): number {
  const shown = flags.showSecrets ? (value: unknown) => value : masked;
  if (flags.json) {
    const origins = Object.fromEntries(rows.map(({ key, from }) => [key, from.map(nameOf)]));
    const values = rows.map(({ key, value, from }) => {
      return { key, value: shown(value), from: from.length === 0 ? [{ kind: 'default' }] : from };
    });
    io.out(JSON.stringify({ settings: shown(settings), origins, values, sources, problems }, null, 2));
    return exitCode(problems);
  }
  const head = ['KEY', 'VALUE', 'FROM'].map((text): Cell => ({ text, style: 'bold' }));
  const lines = rows.map(({ key, value, from }): Cell[] => [
    { text: visible(key) },
    { text: visible(JSON.stringify(shown(value)) ?? '') },
    from.length === 0
      ? { text: 'default', style: 'dim' }
      : { text: from.map((origin) => placeOf(origin, io)).join(', ') },
  ]);
  for (const line of table([head, ...lines], io)) io.out(line);
  for (const line of problemLines(problems, io)) io.out(line);
  return exitCode(problems);
}

/** Names the file, variable or caller without the line. */
function nameOf(origin: SettingOrigin): string {
  switch (origin.kind) {
    case 'file':
      return origin.path;
    case 'environment':
      return `$${origin.variable}`;
    case 'options':
      return 'options';
    default:
      return assertNever(origin);
  }
}

function placeOf(origin: SettingOrigin, io: Io): string {
  if (origin.kind !== 'file') return nameOf(origin);
  return `${shortPath(origin.path, io.home)}${origin.line === undefined ? '' : `:${origin.line}`}`;
}

export interface ShowFlags {
  readonly json: boolean;
  readonly showSecrets: boolean;
}

/** Prints the problems of each file, and their number. */
export function validateSettings({ sources, problems }: OwnSettings, io: Io, json: boolean): number {
  const there = sources.filter(({ kind }) => kind !== 'absent');
  if (json) {
    io.out(JSON.stringify({ sources: there, problems }, null, 2));
    return exitCode(problems);
  }
  for (const { path, scope, kind } of there) io.out(`${kind.padEnd(8)} ${scope.padEnd(8)} ${shortPath(path, io.home)}`);
  for (const line of problemLines(problems, io)) io.out(line);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  io.out(`${plural(there.length, 'settings file')}, ${plural(errors, 'error')}`);
  return exitCode(problems);
}

function exitCode(problems: readonly Problem[]): number {
  return problems.some(({ severity }) => severity === 'error') ? EXIT.usage : EXIT.ok;
}

function problemLines(problems: readonly Problem[], io: Io): string[] {
  return problems.flatMap(({ severity, source = '', line, message, hint }) => [
    `${paint(io, severity === 'error' ? 'red' : 'yellow', severity)} ${shortPath(source, io.home)}${line === undefined ? '' : `:${line}`}`,
    `  ${visible(message)}`,
    `  ${paint(io, 'cyan', '→')} ${visible(hint)}`,
  ]);
}

/** URLs and command lines in settings can contain secrets. */
function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskUrl(value);
  if (isTexts(value)) return maskArgs(value);
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, masked(inner)]));
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
