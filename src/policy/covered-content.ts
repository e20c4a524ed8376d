import { maskText, sha256 } from '../base/index.js';

/** A file whose content an approval covers, in its current state. */
export interface CoveredFile {
  /** As written in the entry, relative to the working directory of the server. */
  readonly path: string;
  /** The path after following links. */
  readonly target: string;
  readonly role: 'env file' | 'headers helper' | 'program' | 'file';
  /** `ends`: only size, inode, first and last megabyte are covered. `unread`: the content is not covered. */
  readonly extent: 'whole' | 'ends' | 'unread';
  readonly digest: string;
  /** The reason why it could not be read. */
  readonly why?: string;
  /** Only for texts short enough to be compared line by line. */
  readonly text?: string;
  /** The lines are code and may be shown; those of other files may contain secrets. */
  readonly isScript?: boolean;
  /** The variables of an env file. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A variable that determines which program or library is loaded. */
export interface LoaderVariable {
  readonly name: string;
  readonly setBy: 'entry' | 'env file';
}

/** Everything that an approval covers besides the entry itself. */
export interface Content {
  readonly files: readonly CoveredFile[];
  readonly loaders: readonly LoaderVariable[];
  /** Some word of the command line is code, which may compute file names. */
  readonly hasCode: boolean;
  /** The hash over all files; empty if there are none. */
  readonly hash: string;
  /** False if the entry names more files than can be checked. */
  readonly isClear: boolean;
}

export const NO_CONTENT: Content = { files: [], loaders: [], hasCode: false, hash: '', isClear: true };

/** The approved state: a keyed hash over all files, and hashes for showing changes. */
export interface ContentRecord {
  readonly seal: string;
  /** Earlier approved states, so that switching back to a branch needs no new approval. */
  readonly earlier: readonly string[];
  readonly files: Readonly<Record<string, FileRecord>>;
}

interface FileRecord {
  readonly digest: string;
  /** Keyed hashes of the lines, of equal length, concatenated. */
  readonly lines?: string;
  /** Keyed hashes of the values of an env file, by name. */
  readonly variables?: Readonly<Record<string, string>>;
}

type Hmac = (text: string) => string;

/** Long enough to detect every changed line; a collision cannot be constructed without the key. */
const LINE_HASH = 10;
const MAX_EARLIER = 15;
/** Changes of a longer file are reported without lines. */
export const MAX_RECORDED_LINES = 4_000;
const MAX_SHOWN_LINES = 40;
const MAX_SHOWN_CHARACTERS = 200;

export function contentHash(files: readonly CoveredFile[]): string {
  if (files.length === 0) return '';
  const facts = files.map(({ path, target, role, extent, digest }) =>
    JSON.stringify([path, target, role, extent, digest]),
  );
  return sha256(JSON.stringify(facts.sort()));
}

/** The record of an approval; undefined if no file is covered and none was before. */
export function recordContent(
  { files, hash }: Content,
  before: ContentRecord | undefined,
  hmac: Hmac,
): ContentRecord | undefined {
  if (hash === '' && !before) return undefined;
  const seal = sealContent(hash, hmac);
  const earlier = before ? [before.seal, ...before.earlier].filter((one) => one !== seal).slice(0, MAX_EARLIER) : [];
  return { seal, earlier, files: Object.fromEntries(files.map((file) => [file.path, recordFile(file, hmac)])) };
}

/** An approval without a record is valid only if there are no files to cover. */
export function isCovered(record: ContentRecord | undefined, { hash }: Content, hmac: Hmac): boolean {
  if (!record) return hash === '';
  const seal = sealContent(hash, hmac);
  return record.seal === seal || record.earlier.includes(seal);
}

function sealContent(hash: string, hmac: Hmac): string {
  return hmac(JSON.stringify(['content', hash]));
}

function recordFile({ digest, text, variables }: CoveredFile, hmac: Hmac): FileRecord {
  const lines = text?.split('\n');
  return {
    digest: hmac(digest),
    ...(variables && { variables: hashedValues(variables, hmac) }),
    ...(lines && lines.length <= MAX_RECORDED_LINES && { lines: hashedLines(lines, hmac).join('') }),
  };
}

function hashedLines(lines: readonly string[], hmac: Hmac): string[] {
  return lines.map((line) => hmac(line).slice(0, LINE_HASH));
}

function hashedValues(variables: Readonly<Record<string, string>>, hmac: Hmac): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, hmac(value).slice(0, LINE_HASH)]));
}

/** The differences to the approved state: current lines of scripts, and only the names of variables in env files. */
export function contentChanges(record: ContentRecord | undefined, { files }: Content, hmac: Hmac): string[] {
  if (!record) return files.length > 0 ? ['the earlier approval does not cover files; a new approval does'] : [];
  const now = new Set(files.map(({ path }) => path));
  const gone = Object.keys(record.files).filter((path) => !now.has(path));
  return [
    ...files.flatMap((file) =>
      fileChanges(Object.hasOwn(record.files, file.path) ? record.files[file.path] : undefined, file, hmac),
    ),
    ...gone.map((path) => `${path} is gone or is no longer used`),
  ];
}

function fileChanges(before: FileRecord | undefined, file: CoveredFile, hmac: Hmac): string[] {
  const { path, role, target, variables, text, isScript = false } = file;
  const link = target === path ? '' : ` (a link to ${target})`;
  if (!before) return [`${path}${link} is new or newly used: ${role}`];
  // A different target or role also changes the hash over all files.
  if (before.digest === hmac(file.digest)) return [];
  if (variables && before.variables) return variableChanges(path, before.variables, hashedValues(variables, hmac));
  const lines = text?.split('\n') ?? [];
  if (before.lines === undefined || text === undefined || lines.length > MAX_RECORDED_LINES)
    return [`${path}${link} changed`];
  return [`${path}${link} changed:`, ...lineChanges(before.lines, lines, isScript, hmac)];
}

function variableChanges(
  path: string,
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string[] {
  const names = (one: object, test: (name: string) => boolean) => Object.keys(one).filter(test).join(', ');
  const parts = [
    ['sets now', names(now, (name) => !Object.hasOwn(before, name))],
    ['has another value for', names(now, (name) => Object.hasOwn(before, name) && before[name] !== now[name])],
    ['sets no longer', names(before, (name) => !Object.hasOwn(now, name))],
  ].filter(([, list]) => list !== '');
  // A comment, the order or the notation of a value is a change too.
  if (parts.length === 0) return [`${path} changed, and sets the same variables to the same values`];
  return parts.map(([what, list]) => `${path} ${what} ${list}`);
}

/** Takes linear time: skips equal lines at both ends and compares the rest as multisets. */
function lineChanges(recorded: string, lines: readonly string[], isScript: boolean, hmac: Hmac): string[] {
  const before = recorded.match(new RegExp(`.{${LINE_HASH}}`, 'g')) ?? [];
  const now = hashedLines(lines, hmac);
  let start = 0;
  while (start < before.length && start < now.length && before[start] === now[start]) start += 1;
  let tail = 0;
  while (tail < Math.min(before.length, now.length) - start && before.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const left = new Map<string, number>();
  for (const hash of before.slice(start, before.length - tail)) left.set(hash, (left.get(hash) ?? 0) + 1);
  const fresh: number[] = [];
  for (let at = start; at < now.length - tail; at += 1) {
    const count = left.get(now[at] ?? '') ?? 0;
    if (count === 0) fresh.push(at);
    else left.set(now[at] ?? '', count - 1);
  }
  const removed = [...left.values()].reduce((sum, count) => sum + count, 0);
  const shown = fresh
    .slice(0, MAX_SHOWN_LINES)
    .map(
      (at) =>
        `  ${at + 1}: ${isScript ? shortened(maskText(lines[at] ?? '')) : 'changed or added (not shown: it may hold a secret)'}`,
    );
  return [
    ...shown,
    ...(fresh.length > shown.length ? [`  and ${fresh.length - shown.length} more lines changed or added`] : []),
    ...(removed > 0 ? [`  lines removed or replaced: ${removed}`] : []),
    ...(fresh.length === 0 && removed === 0
      ? [`  lines ${start + 1} to ${now.length - tail} are in another order`]
      : []),
  ];
}

function shortened(line: string): string {
  return line.length > MAX_SHOWN_CHARACTERS
    ? `${line.slice(0, MAX_SHOWN_CHARACTERS)}… (${line.length} characters)`
    : line;
}

/** Parses a record from the approvals file; undefined if it is invalid. */
export function parseContentRecord(value: unknown): ContentRecord | undefined {
  if (typeof value !== 'object' || value === null || !('seal' in value) || !('files' in value)) return undefined;
  const { seal, files, earlier }: { seal: unknown; files: unknown; earlier?: unknown } = value;
  if (!Array.isArray(earlier) || !earlier.every((one): one is string => typeof one === 'string')) return undefined;
  if (typeof seal !== 'string' || typeof files !== 'object' || files === null) return undefined;
  const records = Object.entries(files).map(([path, one]: [string, unknown]) => [path, parseFileRecord(one)] as const);
  if (records.some(([, record]) => record === undefined)) return undefined;
  return {
    seal,
    earlier,
    files: Object.fromEntries(records.flatMap(([path, record]) => (record ? [[path, record]] : []))),
  };
}

function parseFileRecord(value: unknown): FileRecord | undefined {
  if (typeof value !== 'object' || value === null || !('digest' in value)) return undefined;
  const { digest, lines, variables }: { digest: unknown; lines?: unknown; variables?: unknown } = value;
  if (typeof digest !== 'string') return undefined;
  const hashes =
    typeof variables === 'object' && variables !== null
      ? Object.entries(variables).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      : undefined;
  return {
    digest,
    ...(hashes && { variables: Object.fromEntries(hashes) }),
    ...(typeof lines === 'string' && { lines }),
  };
}
