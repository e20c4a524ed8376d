import { join } from 'node:path';
import { chainOfHead, type FileName, headName, parseFileName } from './audit-file-names.js';
import { MAX_SIGHTINGS, type Sighting } from './audit-line.js';
import { type Head, MAX_HEAD_BYTES, openHead } from './chain-head.js';
import { namesIn, readSmall } from './private-files.js';

/** The heads in a folder; undefined stands for one that has no seal of ours. */
export type Heads = ReadonlyMap<string, Head | undefined>;

const LOOKS = 3;

/** Files of lines, in the order in which they were begun. */
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

/** Its process may write it over at this very moment: what has no seal is looked at again before it is called broken. */
async function readHead(path: string, key: string): Promise<Head | 'gone' | undefined> {
  for (let look = 0; look < LOOKS; look += 1) {
    try {
      const text = await readSmall(path, MAX_HEAD_BYTES);
      if (text === undefined) return 'gone'; // given up since the folder was listed
      const head = openHead(text, key);
      if (head) return head;
    } catch {
      return undefined; // a link, a pipe or a file of another user in a head's place: the chain is told of as one without
    }
  }
  return undefined;
}

/** Up to which name files may be missing. It only ever rises, so the highest is the one that holds. */
export function floorOf(heads: Heads): string {
  return [...heads.values()].reduce((floor, head) => (head && head.floor > floor ? head.floor : floor), '');
}

/** What a new file tells of the chains beside its own. */
export function sightings(heads: Heads, own: string): Readonly<Record<string, Sighting>> {
  const others = [...heads.values()].filter((head) => head !== undefined && head.chain !== own && head.count > 0);
  const newest = others.flatMap((head) => head ?? []).sort((a, b) => (a.file < b.file ? 1 : -1));
  return Object.fromEntries(newest.slice(0, MAX_SIGHTINGS).map(({ chain, file, count }) => [chain, { file, count }]));
}

/** The oldest files beyond those to be kept. The newest file of a chain that is still written stays, however old it is. */
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

/** Heads of chains of which nothing is left, now that files up to the floor are gone. */
export function leftoverHeads(heads: Heads, left: readonly FileName[], floor: string, own: string): readonly string[] {
  const alive = new Set(left.map((file) => file.chain));
  return [...heads.values()].flatMap((head) =>
    // Without a file it is one that is about to begin.
    head && head.file !== '' && head.chain !== own && head.file <= floor && !alive.has(head.chain)
      ? [headName(head.chain)]
      : [],
  );
}
