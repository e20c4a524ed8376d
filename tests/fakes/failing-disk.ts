import { type OpenFile, type WritableDisk, writableDisk } from '../../src/base/index.js';

/** The machine's own disk, but its nth operation fails; a file can also be cut short, as a full disk does. */
export function failingDisk(n: number, code = 'ENOSPC'): WritableDisk & { readonly done: () => readonly string[] } {
  const done: string[] = [];
  const turn = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    done.push(name);
    if (done.length === n) throw Object.assign(new Error(`${code}: ${name}`), { code });
    return act();
  };
  const opened = (file: OpenFile): OpenFile => ({
    write: async (data) => {
      done.push('write');
      const failing = done.length === n;
      await file.write(failing ? data.subarray(0, data.length >> 1) : data);
      if (failing) throw Object.assign(new Error(`${code}: write`), { code });
    },
    giveTo: (owner, group) => turn('giveTo', () => file.giveTo(owner, group)),
    allow: (mode) => turn('allow', () => file.allow(mode)),
    sync: () => turn('sync', () => file.sync()),
    // Who closes a file that is full must close it all the same.
    close: () => turn('close', () => Promise.resolve()).finally(() => file.close()),
  });
  return {
    done: () => done,
    facts: (path) => turn('facts', () => writableDisk.facts(path)),
    target: (path) => turn('target', () => writableDisk.target(path)),
    read: (path) => turn('read', () => writableDisk.read(path)),
    readLink: (path) => turn('readLink', () => writableDisk.readLink(path)),
    realPath: (path) => turn('realPath', () => writableDisk.realPath(path)),
    makeFolder: (path, mode) => turn('makeFolder', () => writableDisk.makeFolder(path, mode)),
    create: (path, mode) => turn('create', async () => opened(await writableDisk.create(path, mode))),
    rename: (from, to) => turn('rename', () => writableDisk.rename(from, to)),
    link: (from, to) => turn('link', () => writableDisk.link(from, to)),
    remove: (path) => turn('remove', () => writableDisk.remove(path)),
    leftBehind: (...asked) => turn('leftBehind', () => writableDisk.leftBehind(...asked)),
    syncFolder: (path) => turn('syncFolder', () => writableDisk.syncFolder(path)),
  };
}
