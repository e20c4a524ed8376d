import type { Problem } from '../model/index.js';
import { DiscoverySection, KNOWN_KEYS, SettingsFile } from './settings-schema.js';

/** Where a value was written, so that what is wrong with it can be found. */
export interface Written {
  readonly source: string;
  readonly value: unknown;
  readonly section?: 'discovery';
  lineOf(path: readonly PropertyKey[]): number | undefined;
}

/** A file with more faults than this is looked at again once these are mended. */
const MAX_FAULTS = 20;

export type Checked =
  | { readonly kind: 'valid'; readonly settings: SettingsFile }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/** Holds what is written against the schema. Every fault becomes a problem that names file, key and expected type. */
export function checkSettings({ source, value, section, lineOf }: Written): Checked {
  const result = section ? DiscoverySection.safeParse(value) : SettingsFile.safeParse(flat(value));
  if (result.success) return { kind: 'valid', settings: result.data };
  const before = section ? [section] : [];
  const faults = result.error.issues.slice(0, MAX_FAULTS).flatMap(faultsOf).slice(0, MAX_FAULTS);
  const problems = faults.map(({ path: found, message, hint }): Problem => {
    const path = asWritten(found, value);
    const line = lineOf(path);
    const key = keyName([...before, ...path]);
    return {
      code: 'settings-invalid',
      severity: 'error',
      message: `${key === '' ? 'the whole' : `"${key}"`} ${message}`,
      hint,
      source,
      ...(line !== undefined && { line }),
    };
  });
  return { kind: 'invalid', problems };
}

/** `approval` may also be a map: who has to be asked, about which files, and whether by way of the client. */
function flat(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('approval' in value)) return value;
  const { approval, ...rest } = value;
  if (typeof approval !== 'object' || approval === null || Array.isArray(approval)) return value;
  const { scope, files, ...more }: { scope?: unknown; files?: unknown } = approval;
  return {
    ...rest,
    ...(scope !== undefined && { approval: scope }),
    ...(files !== undefined && { approvalFiles: files }),
    ...more,
  };
}

/** The key in the map, where `approval` is written as one. */
function asWritten(path: readonly PropertyKey[], value: unknown): readonly PropertyKey[] {
  const isMap =
    typeof value === 'object' && value !== null && 'approval' in value && typeof value.approval === 'object';
  return isMap && path[0] === 'approvalFiles' && !('approvalFiles' in value) ? ['approval', 'files'] : path;
}

type Issue = NonNullable<ReturnType<typeof SettingsFile.safeParse>['error']>['issues'][number];

interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly hint: string;
}

function faultsOf(issue: Issue): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    const known = KNOWN_KEYS[keyName(issue.path).replaceAll(/\[\d+\]/g, '[]')];
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: 'is no setting',
      hint: known ? `remove it or correct its spelling; known here: ${known.join(', ')}` : 'remove it',
    }));
  }
  const expected = expectedBy(issue);
  const hint = issue.path.length === 0 ? 'write a map of settings' : `write ${expected}`;
  return [{ path: issue.path, message: `is not ${expected}`, hint }];
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
      if (issue.origin === 'string') return 'a string that is not empty';
      return issue.origin === 'array' ? 'a list that is not empty' : `a number of at least ${issue.minimum}`;
    case 'too_big':
      return `a number of at most ${issue.maximum}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'an http or https address' : issue.message;
    default:
      return issue.message;
  }
}

/** `toolRules[0].pattern`, as a person would write it. */
function keyName(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (name, key) => (typeof key === 'number' ? `${name}[${key}]` : name === '' ? String(key) : `${name}.${String(key)}`),
    '',
  );
}
