import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Copy, EARLIER, type Name } from './audit-chains.js';

const swap = (lines: string[], n: number): string[] => lines.with(n, lines[n + 1] ?? '').with(n + 1, lines[n] ?? '');

interface Attack {
  readonly title: string;
  readonly attack: (copy: Copy) => void;
  readonly broken: Partial<Record<Name, string>>;
}

export const ATTACKS: readonly Attack[] = [
  { title: 'no attack (valid)', attack: () => undefined, broken: {} },
  {
    title: 'an edited outcome',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.with(5, lines[5]?.replace('"ok"', '"no"') ?? '')),
    broken: { a: 'line-changed' },
  },
  {
    title: 'added white space',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.with(5, lines[5]?.replace(',', ', ') ?? '')),
    broken: { a: 'line-changed' },
  },
  {
    title: 'an edited first line',
    attack: (copy) =>
      copy.edit(copy.file('a', 1), (lines) => lines.with(0, lines[0]?.replace('"after":', '"after": ') ?? '')),
    broken: { a: 'line-changed' },
  },
  {
    title: 'a repeated line with the next number',
    attack: (copy) =>
      copy.edit(copy.file('a'), (lines) => lines.with(5, (lines[4] ?? '').replace('"sequence":4', '"sequence":5'))),
    broken: { a: 'line-changed' },
  },
  {
    title: 'a dropped line',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.toSpliced(7, 1)),
    broken: { a: 'line-missing' },
  },
  {
    title: 'a dropped first line',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.slice(1)),
    broken: { a: 'line-changed' },
  },
  {
    title: 'a duplicated line',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.toSpliced(7, 0, lines[6] ?? '')),
    broken: { a: 'line-missing' },
  },
  {
    title: 'two exchanged lines',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => swap(lines, 7)),
    broken: { a: 'line-missing' },
  },
  {
    title: 'an empty line',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.toSpliced(7, 0, '')),
    broken: { a: 'line-changed' },
  },
  {
    title: 'a removed last line',
    attack: (copy) => copy.edit(copy.file('a', -1), (lines) => lines.slice(0, -1)),
    broken: { a: 'line-missing' },
  },
  {
    title: 'a removed last byte',
    attack: (copy) => truncateSync(copy.file('a', -1), readFileSync(copy.file('a', -1)).length - 1),
    broken: { a: 'line-missing' },
  },
  {
    title: 'a removed last line of an earlier file',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.slice(0, -1)),
    broken: { a: 'line-missing' },
  },
  { title: 'an emptied file', attack: (copy) => truncateSync(copy.file('a', 1)), broken: { a: 'file-missing' } },
  { title: 'an emptied last file', attack: (copy) => truncateSync(copy.file('a', -1)), broken: { a: 'line-missing' } },
  { title: 'the first file removed', attack: (copy) => rmSync(copy.file('a')), broken: { a: 'file-missing' } },
  { title: 'a file in the middle removed', attack: (copy) => rmSync(copy.file('a', 1)), broken: { a: 'file-missing' } },
  { title: 'the last file removed', attack: (copy) => rmSync(copy.file('a', -1)), broken: { a: 'line-missing' } },
  {
    title: 'all files removed',
    attack: (copy) => copy.files('a').forEach((path) => void rmSync(path)),
    broken: { a: 'line-missing' },
  },
  {
    title: 'a line of another chain',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.with(7, copy.lines(copy.file('b'))[7] ?? '')),
    broken: { a: 'line-changed' },
  },
  {
    title: 'appended lines of another chain',
    attack: (copy) => appendFileSync(copy.file('a', -1), readFileSync(copy.file('b', -1))),
    broken: { a: 'line-missing' },
  },
  {
    title: 'an appended line with a valid number',
    attack: (copy) => {
      const [first = ''] = copy.lines(copy.file('a', -1));
      const next = copy
        .lines(copy.file('a', -1))
        .at(-1)
        ?.match(/"sequence":(\d+)/)?.[1];
      appendFileSync(copy.file('a', -1), `${first.replace(/"sequence":\d+/, `"sequence":${Number(next) + 1}`)}\n`);
    },
    broken: { a: 'line-changed' },
  },
  {
    title: 'appended text',
    attack: (copy) => appendFileSync(copy.file('a', -1), 'x'),
    broken: { a: 'line-changed' },
  },
  {
    title: 'an appended beginning of the next line in an earlier file',
    attack: (copy) => {
      const [next = ''] = copy.lines(copy.file('a', 1));
      appendFileSync(copy.file('a'), next.slice(0, 20));
    },
    broken: { a: 'line-missing' },
  },
  {
    title: 'an appended line without an end',
    attack: (copy) => appendFileSync(copy.file('a', -1), 'x'.repeat(1_000_000)),
    broken: { a: 'line-changed' },
  },
  {
    title: 'a file replaced by another of its chain',
    attack: (copy) => copyFileSync(copy.file('a'), copy.file('a', 1)),
    broken: { a: 'file-moved' },
  },
  {
    title: 'a file replaced by one of another chain',
    attack: (copy) => copyFileSync(copy.file('b'), copy.file('a')),
    broken: { a: 'file-moved' },
  },
  {
    title: 'a file renamed to another time',
    attack: (copy) => renameSync(copy.file('a'), copy.file('a').replace('20260101T', '20250101T')),
    broken: { a: 'file-moved' },
  },
  { title: 'a head removed', attack: (copy) => rmSync(copy.head('a')), broken: { a: 'head-missing' } },
  {
    title: 'an edited head',
    attack: (copy) => copy.edit(copy.head('a'), ([line = '']) => [line.replace(/"count":\d+/, '"count":3')]),
    broken: { a: 'head-missing' },
  },
  {
    title: 'a head replaced by that of another chain',
    attack: (copy) => copyFileSync(copy.head('b'), copy.head('a')),
    broken: { a: 'head-missing' },
  },
  {
    title: 'a head replaced by an older one',
    attack: (copy) => copyFileSync(copy.head('a', EARLIER), copy.head('a')),
    broken: { a: 'head-outdated' },
  },
  {
    title: 'files replaced by older ones',
    attack: (copy) => {
      for (const path of copy.files('a')) rmSync(path);
      for (const path of copy.files('a', EARLIER)) cpSync(path, path.replace(EARLIER, copy.folder));
    },
    broken: { a: 'line-missing' },
  },
  {
    title: 'the key removed',
    attack: (copy) => rmSync(join(copy.folder, 'key')),
    broken: { a: 'key-missing', b: 'key-missing', c: 'key-missing' },
  },
  {
    title: 'a replaced key',
    attack: (copy) => writeFileSync(join(copy.folder, 'key'), '0'.repeat(64)),
    broken: { a: 'line-changed', b: 'line-changed', c: 'line-changed' },
  },
  {
    title: 'a file replaced by a directory',
    attack: (copy) => {
      const path = copy.file('a', 1);
      rmSync(path);
      mkdirSync(path);
    },
    broken: { a: 'file-unreadable' },
  },
];
