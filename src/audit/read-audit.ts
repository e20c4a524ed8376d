import { join } from 'node:path';
import { PortolanError } from '../base/index.js';
import type { FileName } from './audit-file-names.js';
import { floorOf, type Heads, listFiles, readHeads } from './audit-folder.js';
import { readKey } from './audit-key.js';
import { type AuditEntry, type Line, parseLine, type Sighting } from './audit-line.js';
import { isAbsent } from './private-files.js';
import { readLines, type TextLine } from './read-lines.js';
import { ChainCheck, type ChainState } from './verify-chain.js';

/** What one process recorded, and whether it is all there. */
export interface ChainVerdict {
  readonly chain: string;
  readonly files: readonly string[];
  /** Lines written so far, those of files given up since included. */
  readonly count: number;
  readonly state: ChainState;
}

export interface AuditReading {
  /** In the order of time; of a broken chain, all that can still be read. */
  readonly entries: readonly AuditEntry[];
  /** How many there are, those not asked for included. */
  readonly total: number;
  /** Empty if they were not to be verified. */
  readonly chains: readonly ChainVerdict[];
}

export interface ReadAuditOptions {
  readonly verify?: boolean;
  /** Only of servers with these names. */
  readonly servers?: ReadonlySet<string>;
  /** So many entries, the newest. */
  readonly last?: number;
}

/** More entries are not held in memory at once. */
const MAX_ENTRIES = 100_000;
/** As many are collected before they are put in order, which would cost too much for each. */
const MAX_UNSORTED = 1_000;
const SURVEY_TRIES = 3;
/** A process that gives up old files and begins new ones in the middle of a reading is not there at each of these. */
const READING_TRIES = 4;
const READING_PAUSE_MS = 20;

/** Reads every chain of a folder, also while they are being written: what seems broken is looked at again before it is said. */
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
  const collect = (chain: string, line: Line | undefined): void => {
    if (line?.kind !== 'entry' || (servers && !servers.has(line.entry.server))) return;
    entries.add({ chain, ...line.entry });
  };
  const chains = verify ? await verifyAll(folder, collect) : await readAll(folder, collect);
  return { entries: entries.sorted(), total: entries.total, chains };
}

type Collect = (chain: string, line: Line | undefined) => void;

async function readAll(folder: string, collect: Collect): Promise<readonly ChainVerdict[]> {
  for (const { name, chain } of await listFiles(folder)) {
    // What cannot be read is told of by those who verify.
    await eachLine(join(folder, name), ({ text }) => collect(chain, parseLine(text))).catch(() => undefined);
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
    if (key === undefined) check.fail('key-missing', 'the key that it was sealed with is missing', 'nowhere');
    for (const name of names) await checkFile(join(folder, name), name, check, (line) => collect(chain, line));
    checks.set(chain, check);
  }
  // Read again after the lines: a chain may have grown meanwhile, and files may have been given up.
  const latest = key === undefined ? heads : await readHeads(folder, key);
  const floor = floorOf(latest);
  const verdicts = [...checks].flatMap(([chain, check]): ChainVerdict[] => {
    const [head, names] = [heads.get(chain), chains.get(chain) ?? []];
    // Its process was killed before the first line, or all its files were given up, if only just now.
    if (head && names.length === 0 && (head.count === 0 || head.file <= floor)) return [];
    if (head && !latest.has(chain) && head.file <= floor) return [];
    const state = check.finish(latest.get(chain), floor);
    return [{ chain, files: names, count: Math.max(check.count, head?.count ?? 0), state }];
  });
  return withSightings(verdicts, checks, floor);
}

/** Heads first, because lines can only be ahead of them; again if a process began its chain between the two. */
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
  collect: (line: Line | undefined) => void,
): Promise<void> {
  check.beginFile(name);
  try {
    await eachLine(path, (line) => collect(check.add(line)));
  } catch (error) {
    // Given up since the folder was listed: if not, the next file or the head misses it.
    if (!isAbsent(error)) check.fail('file-unreadable', error instanceof Error ? error.message : String(error));
  }
}

async function eachLine(path: string, use: (line: TextLine) => void): Promise<void> {
  for await (const lines of readLines(path)) for (const line of lines) use(line);
}

/** What each chain saw of the others when it began a file: none may be gone or shorter now. */
function withSightings(
  verdicts: readonly ChainVerdict[],
  checks: ReadonlyMap<string, ChainCheck>,
  floor: string,
): readonly ChainVerdict[] {
  const seen = new Map<string, Sighting>();
  for (const check of checks.values()) {
    for (const [chain, sighting] of check.seen) {
      if (sighting.count > (seen.get(chain)?.count ?? 0)) seen.set(chain, sighting);
    }
  }
  const there = new Set(verdicts.map(({ chain }) => chain));
  const missing = [...seen].filter(([chain, { file }]) => !there.has(chain) && file > floor);
  const gone = missing.map(([chain, { count }]): ChainVerdict => {
    const message = 'another chain tells of it, and all of it is missing';
    return { chain, files: [], count, state: { kind: 'broken', because: 'chain-missing', message } };
  });
  const compared = verdicts.map((verdict): ChainVerdict => {
    const { count } = seen.get(verdict.chain) ?? { count: 0 };
    if (verdict.state.kind === 'broken' || count <= verdict.count) return verdict;
    const message = `it had ${count} lines when another chain saw it, and has ${verdict.count}`;
    return { ...verdict, state: { kind: 'broken', because: 'line-missing', message } };
  });
  return [...compared, ...gone].sort((a, b) => (a.chain < b.chain ? -1 : 1));
}

/** The newest of many entries that come in the order of time within a chain only. */
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
