import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { diskFiles } from './files.js';

const folder = mkdtempSync(join(tmpdir(), 'portolan-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const inside = (name: string) => join(folder, name);

const TEXT = '{"a":"é😀"}\r\n';
const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('diskFiles.read', () => {
  it.each<{ title: string; bytes: Buffer; text: string }>([
    { title: 'UTF-8', bytes: Buffer.from(TEXT), text: TEXT },
    { title: 'UTF-8 with a byte order mark', bytes: Buffer.from(`\uFEFF${TEXT}`), text: TEXT },
    { title: 'UTF-16 as Windows writes it', bytes: Buffer.from(`\uFEFF${TEXT}`, 'utf16le'), text: TEXT },
    { title: 'UTF-16 in big-endian order', bytes: bigEndian(`\uFEFF${TEXT}`), text: TEXT },
    { title: 'UTF-16 cut in the middle of a character', bytes: Buffer.from([0xff, 0xfe, 0x61, 0x00, 0x62]), text: 'a' },
    { title: 'no bytes at all', bytes: Buffer.alloc(0), text: '' },
    { title: 'nothing but a byte order mark', bytes: Buffer.from([0xef, 0xbb, 0xbf]), text: '' },
    { title: 'bytes that are not text', bytes: Buffer.from([0x61, 0xff, 0x62]), text: 'a\uFFFDb' },
  ])('reads $title', ({ title, bytes, text }) => {
    writeFileSync(inside(title), bytes);
    expect(diskFiles.read(inside(title))).toEqual({ kind: 'read', text });
  });

  it.each(['nothing', 'UTF-8/below', 'x'.repeat(300)])('returns absent for %s', (name) => {
    writeFileSync(inside('UTF-8'), '');
    expect(diskFiles.read(inside(name))).toEqual({ kind: 'absent' });
  });

  it.skipIf(process.platform !== 'linux')('reads a file that reports no size to its end', () => {
    expect(diskFiles.read('/proc/self/status')).toMatchObject({ kind: 'read', text: expect.stringContaining('Pid:') });
  });

  it('returns a failure for a path that is invalid on every disk', () => {
    expect(diskFiles.read('a\0b')).toMatchObject({ kind: 'failed', hint: expect.any(String) });
    expect(diskFiles.list('a\0b')).toMatchObject({ kind: 'failed', hint: expect.any(String) });
    expect(diskFiles.realPath('a\0b')).toBeUndefined();
    expect(() => diskFiles.exists('a\0b')).not.toThrow();
  });
});

describe('diskFiles.list', () => {
  it('lists names in code unit order and marks directories and links', () => {
    mkdirSync(inside('list/folder'), { recursive: true });
    for (const name of ['b', 'a', 'B', 'é', '10', '9']) writeFileSync(inside(`list/${name}`), '');
    symlinkSync(inside('list/folder'), inside('list/to-folder'));
    symlinkSync(inside('list/a'), inside('list/to-file'));
    symlinkSync(inside('list/none'), inside('list/to-nothing'));
    const reading = diskFiles.list(inside('list'));
    const entries =
      reading.kind === 'read' ? reading.names.map(({ name, folder: f, link }) => `${name} ${f} ${link}`) : [];
    expect(entries).toEqual([
      ...['10 false false', '9 false false', 'B false false', 'a false false', 'b false false'],
      ...['folder true false', 'to-file false true', 'to-folder true true', 'to-nothing false true', 'é false false'],
    ]);
  });

  it.each(['nothing', 'list/a'])('returns absent for the directory %s', (name) => {
    expect(diskFiles.list(inside(name))).toEqual({ kind: 'absent' });
  });
});

describe('diskFiles.exists', () => {
  it.each([
    { name: 'list', exists: true },
    { name: 'list/a', exists: true },
    { name: 'list/to-nothing', exists: true },
    { name: 'list/a/below', exists: false },
    { name: 'list/none', exists: false },
    { name: 'x'.repeat(300), exists: false },
  ])('returns $exists for $name', ({ name, exists }) => {
    expect(diskFiles.exists(inside(name))).toBe(exists);
  });
});
