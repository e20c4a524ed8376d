import { join } from 'node:path';
import { chainOfHead, type FileName, headName, parseFileName } from './audit-file-names.js';
import { type Head, MAX_HEAD_BYTES, openHead } from './chain-head.js';
import { namesIn, readSmall } from './private-files.js';

/** The heads in a directory, by chain; undefined means a head without a valid seal. */
export type Heads = ReadonlyMap<string, Head | undefined>;

const HEAD_READS = 3;

/** Log files, oldest first. */
export async function listFiles(folder: string): Promise<readonly FileName[]> {
  return (await namesIn(folder)).flatMap((name) => parseFileName(name) ?? []);
}

export async function readHeads(folder: string, key: string): Promise<Heads> {
  const heads = new Map<string, Head | undefined>();
  for (const name of await namesIn(folder)) {
    const chain = chainOfHead(name);
    if (chain === undefined) continue;
    const head = await readHead(join(folder, name), key);
    if (head === 'gone') continue;
    heads.set(chain, head?.chain === chain ? head : undefined);
  }
  return heads;
}

/** The owning process may be overwriting the head right now, so a head without a valid seal is read again. */
async function readHead(path: string, key: string): Promise<Head | 'gone' | undefined> {
  for (let tries = 0; tries < HEAD_READS; tries += 1) {
    try {
      const text = await readSmall(path, MAX_HEAD_BYTES);
      if (text === undefined) return 'gone'; // deleted since the directory was listed
      const head = openHead(text, key);
      if (head) return head;
    } catch {
      return undefined; // a link, a pipe or a file of another user: the chain is reported as one without a head
    }
  }
  return undefined;
}

/** The newest file name up to which files may be missing. Floors only rise, so the highest one applies. */
export function floorOf(heads: Heads): string {
  return [...heads.values()].reduce((floor, head) => (head && head.floor > floor ? head.floor : floor), '');
}

/** The oldest files beyond `keepFiles`. The newest file of a live chain is kept, however old it is. */
export function surplus(
  files: readonly FileName[],
  keep: number,
  isAlive: (pid: number) => boolean,
): readonly FileName[] {
  const newest = new Map(files.map((file) => [file.chain, file.name]));
  const doomed: FileName[] = [];
  for (const file of files) {
    if (files.length - doomed.length <= keep) break;
    if (newest.get(file.chain) !== file.name || !isAlive(file.pid)) doomed.push(file);
  }
  return doomed;
}

/** Heads of chains whose files were all deleted up to the floor. */
export function leftoverHeads(heads: Heads, left: readonly FileName[], floor: string, own: string): readonly string[] {
  const alive = new Set(left.map((file) => file.chain));
  return [...heads.values()].flatMap((head) =>
    // A head without a file belongs to a chain that is about to begin.
    head && head.file !== '' && head.chain !== own && head.file <= floor && !alive.has(head.chain)
      ? [headName(head.chain)]
      : [],
  );
}
