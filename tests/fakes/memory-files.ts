import type { FileContent, FileReading, FileStatus, Files, FolderReading } from '../../src/base/index.js';

/** A disk in memory with texts by path, and the directories of these paths. */
export function memoryFiles(texts: Readonly<Record<string, string>>): Files {
  const paths = Object.keys(texts);
  const isFolder = (path: string) => paths.some((one) => one.startsWith(`${path === '/' ? '' : path}/`));
  const read = (path: string): FileReading => {
    const text = Object.hasOwn(texts, path) ? texts[path] : undefined;
    if (text !== undefined) return { kind: 'read', text };
    return isFolder(path) ? { kind: 'failed', message: 'is a folder', hint: 'remove it' } : { kind: 'absent' };
  };
  const list = (path: string): FolderReading => {
    if (!isFolder(path)) return { kind: 'absent' };
    const prefix = path === '/' ? '/' : `${path}/`;
    const below = paths.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length).split('/'));
    const names = new Map(below.map(([name = '', ...rest]) => [name, rest.length > 0]));
    return {
      kind: 'read',
      names: [...names]
        .map(([name, folder]) => ({ name, folder, link: false }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    };
  };
  const exists = (path: string) => Object.hasOwn(texts, path) || isFolder(path);
  const status = (path: string): FileStatus | undefined =>
    exists(path)
      ? { kind: Object.hasOwn(texts, path) ? 'file' : 'folder', mode: 0o644, owner: 0, group: 0 }
      : undefined;
  const content = (path: string): FileContent => {
    const text = Object.hasOwn(texts, path) ? texts[path] : undefined;
    return text === undefined ? { kind: 'unreadable', why: 'ENOENT' } : { kind: 'whole', bytes: Buffer.from(text) };
  };
  const readStart = (path: string, maxBytes: number) => {
    const reading = read(path);
    if (reading.kind !== 'read') return undefined;
    return { text: reading.text.slice(0, maxBytes), size: reading.text.length };
  };
  const realPath = (path: string) => (exists(path) ? path : undefined);
  return { read, readStart, list, exists, realPath, status, content };
}

/** The same disk, but its nth access fails. */
export function failingOn(n: number, disk: Files): Files & { readonly asked: () => readonly string[] } {
  const asked: string[] = [];
  const failed = { kind: 'failed', message: 'cannot be read (EIO)', hint: 'see that the disk works' } as const;
  const access = <T>(path: string, give: () => T): T | typeof failed => {
    asked.push(path);
    return asked.length === n ? failed : give();
  };
  return {
    ...disk,
    read: (path) => access(path, () => disk.read(path)),
    list: (path, pattern) => access(path, () => disk.list(path, pattern)),
    asked: () => asked,
  };
}
