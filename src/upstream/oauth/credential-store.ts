import { dirname } from 'node:path';
import { diskFiles, ErrorCode, isObject, PortolanError, sha256, writeFile } from '../../base/index.js';
import { type Credential, parseCredential } from './credential.js';
import { type LockLimits, withFileLock } from './file-lock.js';

const VERSION = 1;
/** Maximum number of credentials; the oldest are removed. */
const MAX_CREDENTIALS = 500;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;
/** Writing a small file takes milliseconds. */
const WRITING: LockLimits = { waitMs: 15_000, heldMs: 10_000 };
/** A refresh makes at most three requests, each with its own timeout. */
const REFRESHING: LockLimits = { waitMs: 60_000, heldMs: 50_000 };

/** The credentials of this user, shared by all gateway processes. */
export interface CredentialStore {
  readonly path: string;
  /** All current credentials, including changes by other processes. */
  list(): readonly Credential[];
  /** The newest credential for the URL of a server. */
  find(resource: string): Credential | undefined;
  /** Replaces the credentials of the same server. With `instead`, only if that one is still stored. */
  save(credential: Credential, instead?: Credential): Promise<boolean>;
  /** Returns the removed credentials. */
  remove(resource: string): Promise<readonly Credential[]>;
  /** Runs `act` exclusively per server, across all processes of this user. */
  alone<T>(resource: string, act: () => Promise<T>): Promise<T>;
}

interface Contents {
  readonly credentials: readonly Credential[];
  /** Unknown entries, perhaps of a newer version; kept unchanged. */
  readonly unreadable: readonly unknown[];
}

/** Credentials in one file that only its owner may read. */
export function credentialStore(path: string): CredentialStore {
  const queues = new Map<string, Promise<unknown>>();
  let known: { readonly stamp: string; readonly contents: Contents } | undefined;

  const read = (): Contents => {
    const stamp = stampOf(path);
    if (stamp === undefined) return { credentials: [], unreadable: [] };
    if (known?.stamp !== stamp) known = { stamp, contents: readContents(path) };
    return known.contents;
  };

  const change = (edit: (contents: Contents) => Contents | undefined): Promise<boolean> =>
    withFileLock(`${path}.lock`, WRITING, async () => {
      known = undefined;
      const next = edit(read());
      if (!next) return false;
      await makePrivate(path);
      const entries = [...next.credentials.slice(0, MAX_CREDENTIALS), ...next.unreadable];
      await writeFile(path, `${JSON.stringify({ version: VERSION, credentials: entries }, null, 2)}\n`);
      known = undefined;
      return true;
    });

  return {
    path,
    list: () => read().credentials,
    find: (resource) => newest(read().credentials.filter((one) => one.resource === resource)),
    save: (credential, instead) =>
      change(({ credentials, unreadable }) => {
        const same = credentials.filter((one) => one.resource === credential.resource);
        if (instead && !same.some((one) => one.accessToken === instead.accessToken && one.issuer === instead.issuer))
          return undefined;
        return { credentials: [credential, ...credentials.filter((one) => !same.includes(one))], unreadable };
      }),
    async remove(resource) {
      let removed: readonly Credential[] = [];
      await change(({ credentials, unreadable }) => {
        removed = credentials.filter((one) => one.resource === resource);
        if (removed.length === 0) return undefined;
        return { credentials: credentials.filter((one) => one.resource !== resource), unreadable };
      });
      return removed;
    },
    async alone(resource, act) {
      const before = queues.get(resource) ?? Promise.resolve();
      const lock = `${path}.${sha256(resource).slice(0, 16)}.lock`;
      const turn = before.then(() => withFileLock(lock, REFRESHING, act));
      const settled = turn.catch(() => undefined); // the caller receives the error
      queues.set(resource, settled);
      try {
        return await turn;
      } finally {
        if (queues.get(resource) === settled) queues.delete(resource);
      }
    },
  };
}

function newest(credentials: readonly Credential[]): Credential | undefined {
  return credentials.toSorted((a, b) => b.obtainedAt - a.obtainedAt)[0];
}

/** Every write makes a new file, so inode, time and size show whether it changed. */
function stampOf(path: string): string | undefined {
  const found = process.getBuiltinModule('node:fs').statSync(path, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.mtimeMs} ${found.size}`;
}

function readContents(path: string): Contents {
  const { getuid } = process;
  const owner = process.getBuiltinModule('node:fs').statSync(path, { throwIfNoEntry: false })?.uid;
  // A file of another user could make us use that user's tokens.
  if (getuid && owner !== undefined && owner !== getuid()) throw broken(path, 'belongs to another user');
  const reading = diskFiles.read(path);
  if (reading.kind === 'absent') return { credentials: [], unreadable: [] };
  if (reading.kind === 'failed') throw broken(path, reading.message);
  const entries = entriesIn(reading.text);
  if (!entries) throw broken(path, 'is not a valid credential file');
  const parsed = entries.map((entry) => ({ entry, credential: parseCredential(entry) }));
  return {
    credentials: parsed.flatMap(({ credential }) => credential ?? []),
    unreadable: parsed.filter(({ credential }) => !credential).map(({ entry }) => entry),
  };
}

function entriesIn(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && Array.isArray(value.credentials) ? value.credentials : undefined;
  } catch {
    return undefined; // without the parser's message, which would quote the file
  }
}

/** A replaced file keeps its permissions, so correct them first. */
async function makePrivate(path: string): Promise<void> {
  const { chmod, mkdir, stat } = process.getBuiltinModule('node:fs').promises;
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  if (process.platform === 'win32') return; // permissions are inherited from the user's directory
  if (((await stat(folder)).mode & OTHERS) !== 0) await chmod(folder, PRIVATE_FOLDER);
  const file = await stat(path).catch(() => undefined);
  if (file && (file.mode & OTHERS) !== 0) await chmod(path, PRIVATE_FILE);
}

function broken(path: string, why: string): PortolanError {
  return new PortolanError(ErrorCode.ConfigNotFound, `${path} ${why}`, {
    hint: 'move it to another place, then sign in again with `portolan login <server>`',
  });
}
