import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failingDisk } from '../../../tests/fakes/failing-disk.js';
import { editFile } from '../../config-edit/index.js';
import { ErrorCode, PortolanError } from '../errors.js';
import { type WritableDisk, writableDisk } from './writable-disk.js';
import { removeFile, writeFile } from './write-file.js';

const isRoot = process.getuid?.() === 0;

function folder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'portolan-write-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const modeOf = (path: string) => statSync(path).mode & 0o7777;
const temporary = (path: string) => readdirSync(path).filter((name) => name.includes('portolan-tmp'));

describe('writeFile', () => {
  it('creates a private file in private directories', async () => {
    using home = folder();
    const path = join(home.path, 'a', 'b', 'servers.json');
    expect(await writeFile(path, '{}')).toEqual({ path });
    expect([modeOf(path), modeOf(join(home.path, 'a')), modeOf(join(home.path, 'a', 'b'))]).toEqual([
      0o600, 0o700, 0o700,
    ]);
    expect(readdirSync(join(home.path, 'a', 'b'))).toEqual(['servers.json']);
  });

  it.each([0o644, 0o600, 0o640, 0o755, 0o444])('keeps the permissions %o of the old file', async (mode) => {
    using home = folder();
    const path = join(home.path, 'x');
    writeFileSync(path, 'old');
    chmodSync(path, mode);
    expect(await writeFile(path, 'new', { backup: true })).toEqual({ path, backup: `${path}.portolan-backup` });
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['new', mode]);
    expect([readFileSync(`${path}.portolan-backup`, 'utf8'), modeOf(`${path}.portolan-backup`)]).toEqual(['old', mode]);
  });

  it.runIf(isRoot)('keeps the owner of the old file', async () => {
    using home = folder();
    const path = join(home.path, 'x');
    writeFileSync(path, 'old');
    chmodSync(path, 0o640);
    chownSync(path, 1234, 4321);
    await writeFile(path, 'new');
    const { uid, gid } = statSync(path);
    expect([uid, gid, modeOf(path)]).toEqual([1234, 4321, 0o640]);
  });

  it.each([
    { title: 'to a file', target: 'real/x', before: 'old' },
    { title: 'to a missing file', target: 'real/y', before: undefined },
    { title: 'through a linked folder', target: '../up', before: 'old' },
  ])('keeps a link $title and writes its target', async ({ target, before }) => {
    using home = folder();
    mkdirSync(join(home.path, 'real', 'deep'), { recursive: true });
    symlinkSync(join(home.path, 'real', 'deep'), join(home.path, 'linked'));
    const inLinked = target.startsWith('..');
    const link = join(home.path, inLinked ? 'linked' : '', 'link');
    symlinkSync(target, link);
    const real = join(home.path, inLinked ? 'real/up' : target);
    if (before !== undefined) writeFileSync(real, before);
    expect((await writeFile(link, 'new', { backup: true })).path).toBe(real);
    expect([readlinkSync(link), readFileSync(real, 'utf8'), lstatSync(link).isSymbolicLink()]).toEqual([
      target,
      'new',
      true,
    ]);
  });

  it.each([
    { title: 'to a file', target: 'precious' },
    { title: 'to a missing file', target: 'nothing' },
  ])('rejects a link $title in a folder that others can write to', async ({ target }) => {
    using home = folder();
    writeFileSync(join(home.path, 'precious'), 'mine');
    const link = join(home.path, 'link');
    symlinkSync(target, link);
    await expect(writeFile(link, 'new', { refuseLinks: true })).rejects.toMatchObject({
      code: ErrorCode.WriteRefused,
      message: `${link} is a link, not a file`,
    });
    expect([readlinkSync(link), readFileSync(join(home.path, 'precious'), 'utf8')]).toEqual([target, 'mine']);
    expect(readdirSync(home.path).sort()).toEqual(['link', 'precious']);
  });

  it.each([
    { title: 'a folder', make: (path: string) => mkdirSync(path) },
    { title: 'a FIFO', make: (path: string) => execFileSync('mkfifo', [path]) },
    { title: 'a device', make: (path: string) => symlinkSync('/dev/null', path) },
    { title: 'a link that points to itself', make: (path: string) => symlinkSync(path, path) },
  ])('rejects $title', async ({ make }) => {
    using home = folder();
    const path = join(home.path, 'x');
    make(path);
    const refused = { code: ErrorCode.WriteRefused };
    await expect(writeFile(path, 'new')).rejects.toMatchObject(refused);
    await expect(removeFile(path)).rejects.toMatchObject(refused);
    expect(readdirSync(home.path)).toEqual(['x']);
  });

  it('does not follow a link at the path of the backup', async () => {
    using home = folder();
    const path = join(home.path, 'x');
    writeFileSync(path, 'old');
    writeFileSync(join(home.path, 'precious'), 'kept');
    symlinkSync('precious', `${path}.portolan-backup`);
    await writeFile(path, 'new', { backup: true });
    expect(readFileSync(join(home.path, 'precious'), 'utf8')).toBe('kept');
    expect(lstatSync(`${path}.portolan-backup`).isFile()).toBe(true);
  });

  it('removes temporary files of a killed process and keeps those still being written', async () => {
    using home = folder();
    const [dead, living] = ['.0a.portolan-tmp', '.0b.portolan-tmp'].map((name) => join(home.path, name));
    for (const path of [dead, living]) writeFileSync(path ?? '', 's3cret');
    utimesSync(dead ?? '', 0, Date.now() / 1000 - 3600);
    await writeFile(join(home.path, 'x'), 'new');
    expect(readdirSync(home.path).sort()).toEqual(['.0b.portolan-tmp', 'x']);
  });

  it.each([
    { title: 'changed', old: 'theirs', from: Buffer.from('ours') },
    { title: 'created', old: 'theirs', from: undefined },
    { title: 'removed', old: undefined, from: Buffer.from('ours') },
  ])('does not replace a file that another program $title in the meantime', async ({ old, from }) => {
    using home = folder();
    const path = join(home.path, 'x');
    if (old !== undefined) writeFileSync(path, old);
    await expect(writeFile(path, 'new', { from: { bytes: from } })).rejects.toMatchObject({
      code: ErrorCode.FileChanged,
    });
    expect(existsSync(path) ? readFileSync(path, 'utf8') : undefined).toBe(old);
    expect(temporary(home.path)).toEqual([]);
  });

  it('does not replace a file that another program creates after the last check', async () => {
    using home = folder();
    const path = join(home.path, 'x');
    const disk: WritableDisk = {
      ...writableDisk,
      async link(from, to) {
        writeFileSync(path, 'theirs');
        return await writableDisk.link(from, to);
      },
    };
    await expect(writeFile(path, 'new', { from: { bytes: undefined }, disk })).rejects.toMatchObject({
      code: ErrorCode.FileChanged,
    });
    expect(readFileSync(path, 'utf8')).toBe('theirs');
    expect(temporary(home.path)).toEqual([]);
  });

  it('creates a file on a system without hard links', async () => {
    using home = folder();
    const path = join(home.path, 'x');
    const disk: WritableDisk = { ...writableDisk, link: async () => false };
    await writeFile(path, 'new', { from: { bytes: undefined }, disk });
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(temporary(home.path)).toEqual([]);
  });
});

describe('after a failure of any operation', () => {
  it.each([
    { title: 'a file', link: false, old: 'the old text' },
    { title: 'a file behind a link', link: true, old: 'the old text' },
    { title: 'a missing file', link: false, old: undefined },
  ])('writing $title leaves the old bytes and no other file, or all of the new ones', async ({ link, old }) => {
    const failed = new Set<string>();
    for (let n = 1; ; n += 1) {
      using home = folder();
      const real = join(home.path, 'real');
      const path = link ? join(home.path, 'link') : real;
      if (old !== undefined) writeFileSync(real, old, { mode: 0o640 });
      if (link) symlinkSync('real', path);
      const disk = failingDisk(n);
      const bytes = old === undefined ? undefined : Buffer.from(old);
      const error = await writeFile(path, 'the new text', { backup: true, from: { bytes }, disk }).catch(
        (thrown: unknown) => thrown,
      );
      const now = existsSync(real) ? readFileSync(real, 'utf8') : undefined;
      const failing = disk.done()[n - 1];
      // A new file is published by a second name; if the first cannot be removed, a later write deletes it.
      expect(temporary(home.path)).toHaveLength(failing === 'remove' ? 1 : 0);
      if (link) expect(readlinkSync(path)).toBe('real');
      if (error instanceof PortolanError) {
        expect([now, error.code]).toEqual([old, ErrorCode.WriteFailed]);
        expect(error.hint).toContain('full');
        failed.add(failing ?? '');
      } else expect(now).toBe('the new text');
      if (disk.done().length < n) break; // every operation has failed once
    }
    const publish = old === undefined ? 'link' : 'rename';
    const all = ['facts', 'makeFolder', 'create', 'write', 'sync', 'close', publish];
    const more = [
      ...(link ? ['readLink', 'realPath'] : []),
      ...(old === undefined ? [] : ['read', 'changeOwner', 'allow']),
    ];
    expect([...failed].sort()).toEqual([...all, ...more].sort());
  });

  it('an edit and a removal keep the old bytes', async () => {
    for (const made of ['new', undefined]) {
      for (let n = 1; ; n += 1) {
        using home = folder();
        const path = join(home.path, 'x');
        writeFileSync(path, 'old');
        const disk = failingDisk(n, 'EIO');
        const result = await editFile(path, async () => made, { disk }).catch((thrown: unknown) => thrown);
        const now = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
        expect(now).toBe(result instanceof PortolanError ? 'old' : made);
        expect(temporary(home.path)).toEqual([]);
        if (disk.done().length < n) break;
      }
    }
  });

  it.skipIf(isRoot)('reports a directory without write permission', async () => {
    using home = folder();
    chmodSync(home.path, 0o500);
    await expect(writeFile(join(home.path, 'x'), 'new')).rejects.toMatchObject({ code: ErrorCode.WriteFailed });
  });
});

describe('editFile', () => {
  it('writes nothing if nothing changes, and returns the backup otherwise', async () => {
    using home = folder();
    const path = join(home.path, 'x');
    expect(await editFile(path, async () => undefined)).toEqual({ kind: 'unchanged', path });
    expect(await editFile(path, async () => 'one')).toEqual({ kind: 'created', path });
    expect(await editFile(path, async (text) => text)).toEqual({ kind: 'unchanged', path });
    const backup = `${path}.portolan-backup`;
    expect(await editFile(path, async (text) => `${text} two`)).toEqual({ kind: 'changed', path, backup });
    expect(await editFile(path, async () => undefined)).toEqual({ kind: 'removed', path, backup });
    expect([existsSync(path), readFileSync(backup, 'utf8')]).toEqual([false, 'one two']);
  });

  it('keeps a byte order mark and rejects text that is not UTF-8', async () => {
    using home = folder();
    const path = join(home.path, 'x');
    writeFileSync(path, '\uFEFFa');
    await editFile(path, async (text) => `${text}b`);
    expect(readFileSync(path)).toEqual(Buffer.from('\uFEFFab'));
    const latin = Buffer.from([0x7b, 0xe9, 0x7d]);
    writeFileSync(path, latin);
    await expect(editFile(path, async () => 'new')).rejects.toMatchObject({ code: ErrorCode.EditRefused });
    expect(readFileSync(path)).toEqual(latin);
  });

  it('retries after another program writes, and gives up if that goes on', async () => {
    using home = folder();
    const path = join(home.path, 'x');
    writeFileSync(path, 'a');
    let times = 0;
    const racing = (limit: number) => async (text: string | undefined) => {
      times += 1;
      if (times <= limit) writeFileSync(path, `${text}!`);
      return `${text}+`;
    };
    await editFile(path, racing(2));
    expect(readFileSync(path, 'utf8')).toBe('a!!+');
    times = 0;
    await expect(editFile(path, racing(9))).rejects.toMatchObject({ code: ErrorCode.FileChanged });
    expect(readFileSync(path, 'utf8')).toBe('a!!+!!!');
  });
});
