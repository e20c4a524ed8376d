import { type ErrorCode, hmac256, jsonWord, sha256 } from '../base/index.js';
import { atLeastZero, isCount, isHash, parseObject, textField } from './parse-fields.js';

/** One tool call, as the gateway reports it. */
export interface Execution {
  readonly client: string;
  readonly server: string;
  readonly tool: string;
  readonly argumentsText: string;
  readonly outcome: 'ok' | 'tool-error' | ErrorCode;
  readonly durationMs: number;
  readonly bytes: number;
  /** The intermediary that made the call for the client, such as a program. */
  readonly via?: string | undefined;
}

/** An execution without its arguments, so that no secret stays in memory while the disk is slow or fails. */
export interface EntryDraft {
  readonly at: number;
  readonly client: string;
  readonly server: string;
  readonly tool: string;
  readonly argumentsDigest: string;
  readonly argumentBytes: number;
  readonly outcome: string;
  readonly durationMs: number;
  readonly bytes: number;
  readonly via?: string;
}

/** An execution as recorded in the log. */
export interface AuditEntry {
  readonly chain: string;
  readonly sequence: number;
  readonly at: string;
  readonly client: string;
  readonly server: string;
  readonly tool: string;
  /** Keyed, so that guessed arguments cannot be verified without the key. */
  readonly argumentsHash: string;
  readonly argumentBytes: number;
  readonly outcome: string;
  readonly durationMs: number;
  readonly bytes: number;
  /** The intermediary, if the client did not make the call itself. */
  readonly via?: string;
}

/** The first line of each file: the position in the chain. */
export interface FileLine {
  readonly kind: 'file';
  readonly sequence: number;
  readonly at: string;
  readonly file: string;
  readonly chain: string;
  readonly after: string | null;
  readonly previous: string;
}

export type AuditLine =
  | FileLine
  | { readonly kind: 'entry'; readonly sequence: number; readonly entry: Omit<AuditEntry, 'chain'> }
  | { readonly kind: 'lost'; readonly sequence: number; readonly lost: number };

/** The previous hash of a chain's first line. */
export const NO_HASH = '0'.repeat(64);
/** Names are external input and are truncated to this length. */
const MAX_NAME_CHARACTERS = 200;
/** Longer than any line we write: three names full of escapes. */
export const MAX_AUDIT_LINE_BYTES = 64 * 1024;

const HASH_START = ',"hash":"';
const HASH_END = '"}';
const ENDING = HASH_START.length + 64 + HASH_END.length;

/** The part of an execution that is kept until it is written. */
export function toDraft(execution: Execution, at: number): EntryDraft {
  return {
    at,
    client: bounded(execution.client),
    server: bounded(execution.server),
    tool: bounded(execution.tool),
    argumentsDigest: sha256(execution.argumentsText),
    argumentBytes: Buffer.byteLength(execution.argumentsText),
    outcome: bounded(execution.outcome),
    durationMs: Math.round(atLeastZero(execution.durationMs) * 1000) / 1000,
    bytes: Math.round(atLeastZero(execution.bytes)),
    ...(execution.via !== undefined && { via: bounded(execution.via) }),
  };
}

/**
 * The line of an execution without its hash. Concatenated by hand, because building and serializing an object costs as
 * much as a hash.
 */
export function openEntry(draft: EntryDraft, sequence: number, key: string): string {
  const { at, client, server, tool, argumentsDigest, argumentBytes, outcome, durationMs, bytes, via } = draft;
  // The suffix has a fixed length, so one plain hash with the key as prefix is as safe as an HMAC.
  const argumentsHash = sha256(`${key}arguments:${argumentsDigest}`);
  const who = `"client":${jsonWord(client)},"server":${jsonWord(server)},"tool":${jsonWord(tool)}`;
  const what = `"argumentsHash":"${argumentsHash}","argumentBytes":${argumentBytes},"outcome":${jsonWord(outcome)}`;
  const how = `"durationMs":${durationMs},"bytes":${bytes}${via === undefined ? '' : `,"via":${jsonWord(via)}`}`;
  return `{"sequence":${sequence},"at":"${momentOf(at)}",${who},${what},${how}`;
}

let moment = { at: Number.NaN, text: '' };

/** Cached, because a busy gateway writes many lines per millisecond and formatting the time is slow. */
function momentOf(at: number): string {
  if (moment.at !== at) moment = { at, text: new Date(at).toISOString() };
  return moment.text;
}

export function openFile({ kind: _, ...body }: FileLine): string {
  return opened(body);
}

export function openLoss(sequence: number, at: number, lost: number): string {
  return opened({ sequence, at: momentOf(at), lost });
}

function opened(body: object): string {
  return JSON.stringify(body).slice(0, -1);
}

/** Completes a line with a hash of it and of the previous line, which requires the key. */
export function sealLine(
  open: string,
  previous: string,
  key: string,
): { readonly text: string; readonly hash: string } {
  const hash = linked(open, previous, key);
  return { text: `${open}${HASH_START}${hash}${HASH_END}\n`, hash };
}

/** Returns the hash of a line if it matches the text, the previous hash and the key. */
export function checkedHash(line: string, previous: string, key: string): string | undefined {
  const hash = line.slice(-HASH_END.length - 64, -HASH_END.length);
  const isSealed = line.length > ENDING && line.slice(-ENDING) === `${HASH_START}${hash}${HASH_END}`;
  return isSealed && linked(line.slice(0, -ENDING), previous, key) === hash ? hash : undefined;
}

function linked(open: string, previous: string, key: string): string {
  return hmac256(key, `line:${previous}${open}`);
}

/** Parses a line without verifying it. Returns undefined if it is not in our format. */
export function parseAuditLine(text: string): AuditLine | undefined {
  const value = parseObject(text);
  if (!value) return undefined;
  const { sequence, at, lost, file } = value;
  if (!isCount(sequence)) return undefined;
  if (isCount(lost)) return { kind: 'lost', sequence, lost };
  if (typeof at !== 'string') return undefined;
  if (typeof file === 'string') return parseFileLine(value, sequence, at, file);
  const { argumentsHash, argumentBytes, durationMs, bytes } = value;
  if (!isHash(argumentsHash) || !isCount(argumentBytes) || !isCount(bytes) || typeof durationMs !== 'number')
    return undefined;
  const [client, server, tool, outcome] = [value.client, value.server, value.tool, value.outcome].map(textField);
  if (client === undefined || server === undefined || tool === undefined || outcome === undefined) return undefined;
  const via = textField(value.via);
  const how = { argumentsHash, argumentBytes, outcome, durationMs, bytes, ...(via !== undefined && { via }) };
  const entry = { sequence, at, client, server, tool, ...how };
  return { kind: 'entry', sequence, entry };
}

function parseFileLine(
  { chain, after, previous }: Readonly<Record<string, unknown>>,
  sequence: number,
  at: string,
  file: string,
): FileLine | undefined {
  const isAfter = after === null || typeof after === 'string';
  if (typeof chain !== 'string' || !isAfter || !isHash(previous)) return undefined;
  return { kind: 'file', sequence, at, file, chain, after, previous };
}

/** Also converts values that are not strings: one line that cannot be written would block all later ones. */
function bounded(name: unknown): string {
  const text = String(name);
  return text.length > MAX_NAME_CHARACTERS ? `${text.slice(0, MAX_NAME_CHARACTERS)}…` : text;
}
