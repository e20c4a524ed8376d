import { isObject } from '../base/index.js';
import type { Problem } from '../model/index.js';
import { over } from './merge-settings.js';
import { leavesOf, type SettingLines } from './setting-keys.js';
import { DiscoverySection, KNOWN_KEYS, SettingsFile } from './settings-schema.js';

/** A settings value with its source, for messages. */
export interface UncheckedSettings {
  readonly source: string;
  readonly value: unknown;
  /** Ignore unknown keys instead of reporting them, because another program reads the file too. */
  readonly isShared?: boolean;
  lineOf(path: readonly PropertyKey[]): number | undefined;
}

/** The maximum number of faults reported for one file. */
const MAX_FAULTS = 20;
const WRAPPER = 'discovery';

export type Checked =
  | { readonly kind: 'valid'; readonly settings: SettingsFile; readonly lines: SettingLines }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/**
 * Checks a value against the schema. Every fault becomes a problem that names the file, the key and the expected type.
 */
export function checkSettings({ source, value, isShared = false, lineOf }: UncheckedSettings): Checked {
  const { outside, inside } = unwrapped(value);
  const outer = parsed(SettingsFile, flat(outside), isShared);
  const inner = parsed(DiscoverySection, inside, isShared);
  const isValid = outer.success && inner.success;
  const faults = isValid
    ? [...setTwice(outer.data, inner.data), ...setTwiceInApproval(outside)]
    : [...faultsIn(outer), ...faultsIn(inner, [WRAPPER])];
  if (isValid && faults.length === 0) {
    const settings = over(outer.data, inner.data);
    return { kind: 'valid', settings, lines: linesOf(settings, lineOf) };
  }
  const problems = faults.slice(0, MAX_FAULTS).map(({ path: found, message, hint }): Problem => {
    const path = asWritten(found, outside);
    const line = lineOf(path);
    const key = keyName(path);
    return {
      code: 'settings-invalid',
      severity: 'error',
      message: `${key === '' ? 'the top level' : `"${key}"`} ${message}`,
      hint,
      source,
      ...(line !== undefined && { line }),
    };
  });
  return { kind: 'invalid', problems };
}

/** Some settings may also be written in the wrapper `{"discovery": {…}}`, as other programs do. */
function unwrapped(value: unknown): { readonly outside: unknown; readonly inside: unknown } {
  if (!isObject(value) || !Object.hasOwn(value, WRAPPER)) return { outside: value, inside: {} };
  const { [WRAPPER]: inside, ...outside } = value;
  return { outside, inside };
}

type Parsed = ReturnType<typeof SettingsFile.safeParse>;

function parsed(schema: typeof SettingsFile | typeof DiscoverySection, value: unknown, isShared: boolean): Parsed {
  const result = schema.safeParse(value);
  const unknown = (result.error?.issues ?? []).filter((issue) => issue.code === 'unrecognized_keys');
  if (!isShared || unknown.length === 0) return result;
  const known = structuredClone(value);
  for (const { path, keys } of unknown) {
    const parent = path.reduce((at: unknown, key) => (isContainer(at) ? Reflect.get(at, key) : undefined), known);
    if (isContainer(parent)) for (const key of keys) Reflect.deleteProperty(parent, key);
  }
  return schema.safeParse(known);
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** If a setting is written twice, choosing one of the values would be a guess. */
function setTwice(outer: SettingsFile, inner: SettingsFile): Fault[] {
  const known = leavesOf(outer);
  return [...leavesOf(inner).keys()]
    .filter((key) => known.has(key))
    .map((key) => ({
      path: [WRAPPER, ...key.split('.')],
      message: `is also set as "${key}"`,
      hint: 'remove one of the two',
    }));
}

function linesOf(settings: SettingsFile, lineOf: UncheckedSettings['lineOf']): SettingLines {
  const lines = [...leavesOf(settings).keys()].flatMap((key): [string, number][] => {
    const path = key.split('.');
    const inMap = key === 'approvalFiles' ? 'files' : key;
    const ways = [path, [WRAPPER, ...path], ...(path.length === 1 ? [['approval', inMap]] : [])];
    const line = ways.map(lineOf).find((found) => found !== undefined);
    return line === undefined ? [] : [[key, line]];
  });
  return Object.fromEntries(lines);
}

/** `approval` may also be a map; its keys are other spellings of these settings. */
const APPROVAL_MAP: Readonly<Record<string, string>> = {
  scope: 'approval',
  files: 'approvalFiles',
  elicitation: 'elicitation',
};

function approvalMap(value: unknown): object | undefined {
  if (!isObject(value)) return undefined;
  const { approval } = value;
  return isObject(approval) ? approval : undefined;
}

/** Replaces the map by the settings that its keys stand for; any other key keeps its place in the name, as an unknown setting. */
function flat(value: unknown): unknown {
  const map = approvalMap(value);
  if (!map || !isObject(value)) return value;
  const { approval: _, ...rest } = value;
  const named = Object.entries(map).map(([key, inner]) => [
    Object.hasOwn(APPROVAL_MAP, key) ? APPROVAL_MAP[key] : `approval.${key}`,
    inner,
  ]);
  return { ...Object.fromEntries(named), ...rest };
}

/** A setting in the map and outside of it: which value applies would be a guess. */
function setTwiceInApproval(value: unknown): Fault[] {
  const map = approvalMap(value);
  return Object.entries(APPROVAL_MAP)
    .filter(([inMap, key]) => map && key !== 'approval' && Object.hasOwn(map, inMap) && isSet(value, key))
    .map(([inMap, key]) => ({
      path: ['approval', inMap],
      message: `is also set as "${key}"`,
      hint: `remove one of the two; "${key}" is the usual spelling`,
    }));
}

function isSet(value: unknown, key: string): boolean {
  return isObject(value) && Object.hasOwn(value, key);
}

/** The path of a setting as the file spells it, where `approval` is a map. */
function asWritten(path: readonly PropertyKey[], value: unknown): readonly PropertyKey[] {
  const [key, ...inner] = path;
  if (!approvalMap(value) || typeof key !== 'string' || isSet(value, key)) return path;
  const [inMap = key.startsWith('approval.') ? key.slice('approval.'.length) : undefined] =
    Object.entries(APPROVAL_MAP).find(([, name]) => name === key) ?? [];
  return inMap === undefined ? path : ['approval', inMap, ...inner];
}

type Issue = NonNullable<ReturnType<typeof SettingsFile.safeParse>['error']>['issues'][number];

interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly hint: string;
}

function faultsIn({ error }: Parsed, before: readonly string[] = []): Fault[] {
  return (error?.issues ?? []).slice(0, MAX_FAULTS).flatMap((issue) => faultsOf(issue, before));
}

function faultsOf(issue: Issue, before: readonly string[]): Fault[] {
  const place = [...before, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const known = KNOWN_KEYS[knownName(place)];
    return issue.keys.map((key) => ({
      path: [...place, key],
      message: 'is not a known setting',
      hint: known ? `remove it or correct its spelling; known settings: ${known.join(', ')}` : 'remove it',
    }));
  }
  const expected = expectedBy(issue);
  const hint = issue.path.length === 0 ? 'write a map of settings' : `write ${expected}`;
  return [{ path: place, message: `is not ${expected}`, hint }];
}

/** All items of a list have the same keys, and the wrapper has the same keys as the top level. */
function knownName(place: readonly PropertyKey[]): string {
  const [first, ...rest] = place;
  return keyName(first === WRAPPER && rest.length > 0 ? rest : place).replaceAll(/\[\d+\]/g, '[]');
}

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a map',
  record: 'a map',
  string: 'a string',
};

function expectedBy(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return KINDS[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      if (issue.origin === 'string') return 'a non-empty string';
      return issue.origin === 'array' ? 'a non-empty list' : `a number of at least ${issue.minimum}`;
    case 'too_big':
      return `a number of at most ${issue.maximum}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'an http or https address' : issue.message;
    default:
      return issue.message;
  }
}

/** In the notation that a person would use: `toolRules[0].pattern`. */
function keyName(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (name, key) => (typeof key === 'number' ? `${name}[${key}]` : name === '' ? String(key) : `${name}.${String(key)}`),
    '',
  );
}
