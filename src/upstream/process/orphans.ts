import { join } from 'node:path';
import { entryOf, identityOf, isAlive, isIdentity, isObject, type ProcessIdentity } from '../../base/index.js';
import { ProcessTree } from './process-tree.js';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const WRITABLE_BY_OTHERS = 0o022;
/** Far more servers than one gateway starts, and far more crashed gateways than one run finds. */
const MAX_RECORD_BYTES = 256 * 1024;
const MAX_RECORDS = 1_000;
const RECORD_NAME = /^(\d+)-(\d+)\.json$/;
const UNFINISHED_NAME = /^\d+-\d+\.tmp$/;
/** No write takes this long: an older file was left by a killed process. */
const ABANDONED_MS = 10 * 60 * 1000;
/** An orphan has no client left, so it gets little time. */
const GRACE_MS = 500;

/** Kept on disk while a gateway runs; the next gateway reads it if both this gateway and its guardian were killed. */
interface OrphanRecord {
  readonly owner: ProcessIdentity;
  readonly leaders: readonly ProcessIdentity[];
}

/**
 * Replaces the record of this process, or removes it if there are no leaders. Does nothing without process identities.
 */
export function recordLeaders(folder: string, leaders: readonly ProcessIdentity[]): void {
  const owner = identityOf(process.pid);
  if (owner === undefined) return;
  const { renameSync, rmSync, writeFileSync } = fs();
  const path = join(folder, `${owner.pid}-${owner.start}.json`);
  if (leaders.length === 0) {
    rmSync(path, { force: true });
    return;
  }
  makeOwnFolder(folder);
  const record: OrphanRecord = { owner, leaders };
  const unfinished = path.replace(/json$/, 'tmp');
  // Only this process writes to this path, so an existing file is a leftover of its own.
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, JSON.stringify(record), { mode: PRIVATE_FILE, flag: 'wx' });
  renameSync(unfinished, path);
}

/** Ends the processes that dead gateways left behind; returns the pids of the ended session leaders. */
export async function killOrphans(folder: string): Promise<readonly number[]> {
  const mine = identityOf(process.pid);
  if (mine === undefined || !isOurFolder(folder)) return [];
  const { readdirSync, rmSync } = fs();
  removeAbandoned(folder);
  const names = readdirSync(folder).filter((name) => RECORD_NAME.test(name));
  const ended = await Promise.all(
    names.slice(0, MAX_RECORDS).map(async (name) => {
      const path = join(folder, name);
      const record = readRecord(path, name);
      if (record === undefined || !isOver(record.owner, mine)) return [];
      const pids = await Promise.all(record.leaders.map(endOrphan));
      rmSync(path, { force: true });
      return pids.flat();
    }),
  );
  return [...new Set(ended.flat())];
}

/** Returns the pid of the orphan if it was still running. */
async function endOrphan(leader: ProcessIdentity): Promise<number[]> {
  // All our children lead their session, so a record that names any other process is wrong.
  if (!isAlive(leader) || leader.pid === process.pid || entryOf(leader.pid)?.group !== leader.pid) return [];
  await new ProcessTree(leader.pid).end({ graceMs: GRACE_MS, skipFirstWait: true });
  return [leader.pid];
}

/** Processes of another container are invisible here, so its records stay valid until the next boot. */
function isOver(owner: ProcessIdentity, mine: ProcessIdentity): boolean {
  const [machine] = owner.boot.split(' ');
  const [ours] = mine.boot.split(' ');
  return machine !== ours || (owner.boot === mine.boot && !isAlive(owner));
}

function removeAbandoned(folder: string): void {
  const { lstatSync, readdirSync, rmSync } = fs();
  for (const name of readdirSync(folder).filter((one) => UNFINISHED_NAME.test(one))) {
    const path = join(folder, name);
    const facts = lstatSync(path, { throwIfNoEntry: false });
    if (facts && Date.now() - facts.mtimeMs > ABANDONED_MS) rmSync(path, { force: true });
  }
}

/** Throws if other users can write to the directory. */
export function makeOwnFolder(folder: string): void {
  fs().mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  if (!isOurFolder(folder)) throw new Error(`${folder} is not a directory that only you can write to`);
}

function isOurFolder(folder: string): boolean {
  const facts = fs().lstatSync(folder, { throwIfNoEntry: false });
  return facts?.isDirectory() === true && isOurs(facts);
}

function isOurs(facts: { readonly uid: number; readonly mode: number }): boolean {
  return facts.uid === process.getuid?.() && (facts.mode & WRITABLE_BY_OTHERS) === 0;
}

/** Undefined for anything Portolan did not write: a link, a pipe, a file of another user, text that is not a record. */
function readRecord(path: string, name: string): OrphanRecord | undefined {
  const { closeSync, constants, fstatSync, openSync, readFileSync } = fs();
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const facts = fstatSync(file);
      if (!facts.isFile() || !isOurs(facts) || facts.size > MAX_RECORD_BYTES) return undefined;
      const record = parseRecord(readFileSync(file, 'utf8'));
      return record && name === `${record.owner.pid}-${record.owner.start}.json` ? record : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined; // removed meanwhile, or unreadable
  }
}

function parseRecord(text: string): OrphanRecord | undefined {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || !isIdentity(value.owner)) return undefined;
  const leaders = value.leaders;
  return Array.isArray(leaders) && leaders.every(isIdentity) ? { owner: value.owner, leaders } : undefined;
}

function fs() {
  return process.getBuiltinModule('node:fs');
}
