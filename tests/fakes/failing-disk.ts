import { type OpenFile, type WritableDisk, writableDisk } from '../../src/base/index.js';

/** The real disk, but its nth operation fails. A failing write writes half of its data, as on a full disk. */
export function failingDisk(n: number, code = 'ENOSPC'): WritableDisk & { readonly done: () => readonly string[] } {
  const done: string[] = [];
  const operation = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
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
    changeOwner: (owner, group) => operation('changeOwner', () => file.changeOwner(owner, group)),
    allow: (mode) => operation('allow', () => file.allow(mode)),
    sync: () => operation('sync', () => file.sync()),
    // The file is closed even if the close fails.
    close: () => operation('close', () => Promise.resolve()).finally(() => file.close()),
  });
  return {
    done: () => done,
    facts: (path) => operation('facts', () => writableDisk.facts(path)),
    target: (path) => operation('target', () => writableDisk.target(path)),
    read: (path) => operation('read', () => writableDisk.read(path)),
    readLink: (path) => operation('readLink', () => writableDisk.readLink(path)),
    realPath: (path) => operation('realPath', () => writableDisk.realPath(path)),
    makeFolder: (path, mode) => operation('makeFolder', () => writableDisk.makeFolder(path, mode)),
    create: (path, mode) => operation('create', async () => opened(await writableDisk.create(path, mode))),
    rename: (from, to) => operation('rename', () => writableDisk.rename(from, to)),
    link: (from, to) => operation('link', () => writableDisk.link(from, to)),
    remove: (path) => operation('remove', () => writableDisk.remove(path)),
    leftBehind: (...asked) => operation('leftBehind', () => writableDisk.leftBehind(...asked)),
    syncFolder: (path) => operation('syncFolder', () => writableDisk.syncFolder(path)),
  };
}
