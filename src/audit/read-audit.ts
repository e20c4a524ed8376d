import { join } from 'node:path';
import { PortolanError } from '../base/index.js';
import type { FileName } from './audit-file-names.js';
import { floorOf, type Heads, listFiles, readHeads } from './audit-folder.js';
import { readKey } from './audit-key.js';
import { type AuditEntry, type AuditLine, parseAuditLine } from './audit-line.js';
import { isAbsent } from './private-files.js';
import { readLines, type TextLine } from './read-lines.js';
import { ChainCheck, type ChainState } from './verify-chain.js';

/** The verification result of one chain (the lines of one process). */
export interface ChainVerdict {
  readonly chain: string;
  readonly files: readonly string[];
  /** Lines written so far, including those in deleted files. */
  readonly count: number;
  readonly state: ChainState;
}

export interface AuditReading {
  /** In order of time. For a broken chain, all entries that can still be read. */
  readonly entries: readonly AuditEntry[];
  /** The number of all entries, including those not requested. */
  readonly total: number;
  /** Empty if verification was not requested. */
  readonly chains: readonly ChainVerdict[];
}

export interface ReadAuditOptions {
  readonly verify?: boolean;
  /** Only entries of these servers. */
  readonly servers?: ReadonlySet<string>;
  /** Only this many of the newest entries. */
  readonly last?: number;
}

/** The maximum number of entries in memory. */
const MAX_ENTRIES = 100_000;
/** Entries are sorted in groups of this size, because sorting after each one is slow. */
const MAX_UNSORTED = 1_000;
const SURVEY_TRIES = 3;
/** Reading is retried if a process deletes old files and creates new ones in the meantime. */
const READING_TRIES = 4;
const READING_PAUSE_MS = 20;

/**
 * Reads every chain of a directory, which may be written to at the same time: an apparent fault is checked again before
 * it is reported.
 */
export async function readAudit(folder: string, options: ReadAuditOptions = {}): Promise<AuditReading> {
  for (let tries = 1; ; tries += 1) {
    const reading = await readOnce(folder, options);
    if (tries === READING_TRIES || reading.chains.every(({ state }) => state.kind === 'ok')) return reading;
    await new Promise((resolve) => setTimeout(resolve, READING_PAUSE_MS));
  }
}

async function readOnce(folder: string, options: ReadAuditOptions): Promise<AuditReading> {
  const { verify = true, servers, last = MAX_ENTRIES } = options;
  const entries = new Newest(Math.min(last, MAX_ENTRIES));
  const collect = (chain: string, line: AuditLine | undefined): void => {
    if (line?.kind !== 'entry' || (servers && !servers.has(line.entry.server))) return;
    entries.add({ chain, ...line.entry });
  };
  const chains = verify ? await verifyAll(folder, collect) : await readAll(folder, collect);
  return { entries: entries.sorted(), total: entries.total, chains };
}

type Collect = (chain: string, line: AuditLine | undefined) => void;

async function readAll(folder: string, collect: Collect): Promise<readonly ChainVerdict[]> {
  for (const { name, chain } of await listFiles(folder)) {
    // Unreadable files are reported by verification.
    await eachLine(join(folder, name), ({ text }) => collect(chain, parseAuditLine(text))).catch(() => undefined);
  }
  return [];
}

async function verifyAll(folder: string, collect: Collect): Promise<readonly ChainVerdict[]> {
  const key = await readKey(folder).catch((error: unknown) => {
    if (error instanceof PortolanError) return undefined;
    throw error;
  });
  const { heads, files } = await survey(folder, key ?? '');
  const chains = new Map([...heads.keys()].map((chain): [string, string[]] => [chain, []]));
  for (const { chain, name } of files) chains.set(chain, [...(chains.get(chain) ?? []), name]);
  const checks = new Map<string, ChainCheck>();
  for (const [chain, names] of chains) {
    const check = new ChainCheck(chain, key ?? '', heads.get(chain));
    if (key === undefined) check.fail('key-missing', 'the key that sealed it is missing', 'nowhere');
    for (const name of names) await checkFile(join(folder, name), name, check, (line) => collect(chain, line));
    checks.set(chain, check);
  }
  // The heads are read again after the lines, because a chain may have grown and files may have been deleted.
  const latest = key === undefined ? heads : await readHeads(folder, key);
  const floor = floorOf(latest);
  const verdicts = [...checks].flatMap(([chain, check]): ChainVerdict[] => {
    const [head, names] = [heads.get(chain), chains.get(chain) ?? []];
    // The process was killed before its first line, or all files of the chain were deleted, possibly just now.
    if (head && names.length === 0 && (head.count === 0 || head.file <= floor)) return [];
    if (head && !latest.has(chain) && head.file <= floor) return [];
    const state = check.finish(latest.get(chain), floor);
    return [{ chain, files: names, count: Math.max(check.count, head?.count ?? 0), state }];
  });
  return verdicts.toSorted((a, b) => (a.chain < b.chain ? -1 : 1));
}

/** Reads heads before lines, because lines may be ahead of them. Retries if a process begins a chain in between. */
async function survey(folder: string, key: string): Promise<{ heads: Heads; files: readonly FileName[] }> {
  for (let tries = 1; ; tries += 1) {
    const heads = await readHeads(folder, key);
    const files = await listFiles(folder);
    if (tries === SURVEY_TRIES || files.every(({ chain }) => heads.has(chain))) return { heads, files };
  }
}

async function checkFile(
  path: string,
  name: string,
  check: ChainCheck,
  collect: (line: AuditLine | undefined) => void,
): Promise<void> {
  check.beginFile(name);
  try {
    await eachLine(path, (line) => collect(check.add(line)));
  } catch (error) {
    // A file deleted since the listing is no fault by itself: the next file or the head detects it if lines are
    // missing.
    if (!isAbsent(error)) check.fail('file-unreadable', error instanceof Error ? error.message : String(error));
  }
}

async function eachLine(path: string, use: (line: TextLine) => void): Promise<void> {
  for await (const lines of readLines(path)) for (const line of lines) use(line);
}

/** Keeps the newest entries. The input is ordered by time only within a chain. */
class Newest {
  readonly #most: number;
  #kept: AuditEntry[] = [];
  total = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(entry: AuditEntry): void {
    this.total += 1;
    this.#kept.push(entry);
    if (this.#kept.length >= 2 * this.#most + MAX_UNSORTED) this.#kept = [...this.sorted()];
  }

  sorted(): readonly AuditEntry[] {
    const inOrder = this.#kept.toSorted((a, b) => (a.at === b.at ? a.sequence - b.sequence : a.at < b.at ? -1 : 1));
    return this.#most === 0 ? [] : inOrder.slice(-this.#most);
  }
}
