import { join } from 'node:path';
import { diskFiles, isObject, type Log, randomKey, sha256, writeFile } from '../base/index.js';
import { MAX_USES, parseUses, type RememberedUse, type ToolIndex } from '../search/index.js';

/** What searches learned from calls: one file for each project, which all processes of the user share. */
export interface UsesFolder extends AsyncDisposable {
  join(index: ToolIndex, project: string): JoinedUses;
}

/** The remembered uses of one project in one index. */
export interface JoinedUses {
  /** Call before a search: takes over what another process learned or reset. If learning is off, the index forgets. */
  refresh(isOn: boolean): void;
  /** Call after the index has learned something. */
  changed(): void;
  leave(): Promise<void>;
}

interface KeptUses {
  readonly uses: readonly RememberedUse[];
  /** When the user reset them, in milliseconds: no process may write older uses again. */
  readonly forgottenAt: number;
}

const WRITE_AFTER_MS = 5_000;
const VERSION = 1;
/** Beyond this number the files are deleted that were not written for longest. */
export const MAX_PROJECTS = 100;
const MAX_BYTES = 4 * 1024 * 1024;
/** Contains the revision, which every write changes. */
const HEAD_BYTES = 100;
const NAME_CHARACTERS = 40;
const OFF = 'off';

export function usesFolder(state: string, log: Log): UsesFolder {
  const projects = new Map<string, ProjectUses>();
  return {
    join: (index, project) => {
      const uses = projects.get(project) ?? new ProjectUses(state, project, log);
      projects.set(project, uses);
      return uses.join(index);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...projects.values()].map((uses) => uses.finish()));
    },
  };
}

/** Resets what searches learned in one project, or in all of them, for every process; returns the number of uses. */
export async function forgetUses(state: string, project: string | undefined): Promise<number> {
  const folder = folderIn(state);
  const paths = project === undefined ? (await filesIn(folder)).map(({ path }) => path) : [pathIn(state, project)];
  let count = 0;
  for (const path of paths) {
    count += keptIn(path)?.uses.length ?? 0;
    await writeFile(path, textOf({ uses: [], forgottenAt: Date.now() }));
  }
  return count;
}

/** One file, read again before each write, so that no process overwrites what another learned. */
class ProjectUses {
  readonly #path: string;
  readonly #log: Log;
  readonly #indexes = new Set<ToolIndex>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(state: string, project: string, log: Log) {
    this.#path = pathIn(state, project);
    this.#log = log;
  }

  join(index: ToolIndex): JoinedUses {
    let seen: string | undefined;
    this.#indexes.add(index);
    return {
      refresh: (isOn) => {
        const head = isOn ? (diskFiles.readStart(this.#path, HEAD_BYTES)?.text ?? '') : OFF;
        if (head === seen) return;
        seen = head;
        index.recall(isOn ? merged(this.#onDisk(), index.memory()).uses : []);
      },
      changed: () => {
        this.#timer ??= setTimeout(() => void this.#write(), WRITE_AFTER_MS).unref();
      },
      leave: async () => {
        await this.finish();
        this.#indexes.delete(index);
      },
    };
  }

  async finish(): Promise<void> {
    if (this.#timer) await this.#write();
    await this.#writing;
  }

  #onDisk(): KeptUses {
    const kept = keptIn(this.#path);
    if (!kept) this.#log('warn', 'the search usage file is invalid and is replaced', { path: this.#path });
    return kept ?? { uses: [], forgottenAt: 0 };
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(async () => {
      const learned = [...this.#indexes].flatMap((index) => index.memory());
      const isNew = !diskFiles.exists(this.#path);
      try {
        await writeFile(this.#path, textOf(merged(this.#onDisk(), learned)));
        if (isNew) await removeOldest(join(this.#path, '..'));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#log('warn', 'cannot save the search usage file', { error: reason });
      }
    });
    return this.#writing;
  }
}

function folderIn(state: string): string {
  return join(state, 'uses');
}

function pathIn(state: string, project: string): string {
  return join(folderIn(state), `${sha256(project).slice(0, NAME_CHARACTERS)}.json`);
}

/** The content of a file; empty if there is none, undefined if it is not such a file. */
function keptIn(path: string): KeptUses | undefined {
  const nothing = { uses: [], forgottenAt: 0 };
  if (!diskFiles.exists(path)) return nothing;
  const start = diskFiles.readStart(path, MAX_BYTES);
  if (!start || start.size > MAX_BYTES) return undefined;
  try {
    const written: unknown = JSON.parse(start.text);
    if (!isObject(written) || written.version !== VERSION) return undefined;
    const { forgottenAt, uses } = written;
    // A time in the future would prevent all learning.
    const isTime = typeof forgottenAt === 'number' && forgottenAt > 0 && forgottenAt <= Date.now();
    return { uses: parseUses(uses), forgottenAt: isTime ? forgottenAt : 0 };
  } catch {
    return undefined;
  }
}

function textOf({ uses, forgottenAt }: KeptUses): string {
  const head = { version: VERSION, revision: randomKey().slice(0, 16), forgottenAt };
  return `${JSON.stringify({ ...head, uses })}\n`;
}

/** Keeps the latest use per need and tool, and drops the oldest beyond the limit. */
function merged({ uses, forgottenAt }: KeptUses, learned: readonly RememberedUse[]): KeptUses {
  const latest = new Map<string, RememberedUse>();
  for (const use of [...uses, ...learned]) {
    const key = JSON.stringify([use.server, use.tool, use.query.toLowerCase()]);
    if (use.at > forgottenAt && (latest.get(key)?.at ?? 0) < use.at) latest.set(key, use);
  }
  return { uses: [...latest.values()].toSorted((a, b) => a.at - b.at).slice(-MAX_USES), forgottenAt };
}

async function removeOldest(folder: string): Promise<void> {
  const { rm } = await import('node:fs/promises');
  const files = (await filesIn(folder)).toSorted((a, b) => b.writtenAt - a.writtenAt);
  for (const { path } of files.slice(MAX_PROJECTS)) await rm(path, { force: true });
}

async function filesIn(folder: string): Promise<readonly { readonly path: string; readonly writtenAt: number }[]> {
  const { readdir, stat } = await import('node:fs/promises');
  const names = await readdir(folder).catch(() => []); // nothing was learned yet
  const paths = names.filter((name) => /^[0-9a-f]{40}\.json$/.test(name)).map((name) => join(folder, name));
  return Promise.all(
    paths.map(async (path) => ({
      path,
      // A file that was deleted meanwhile counts as the oldest.
      writtenAt: await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    })),
  );
}
