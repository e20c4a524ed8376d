import { dirname, join, relative, resolve, sep } from 'node:path';
import { editFile } from '../../config-edit/index.js';
import type { Host } from '../../model/index.js';
import { originalOf, recordOf } from '../../sources/index.js';

/** Keeps the copy and the record of a take-over out of commits. Returns the file that was changed. */
export async function excludeFromGit(path: string, host: Host): Promise<string | undefined> {
  return editExclude(path, host, (lines, own) => [...lines, ...own.filter((line) => !lines.includes(line))]);
}

export async function includeInGit(path: string, host: Host): Promise<string | undefined> {
  return editExclude(path, host, (lines, own) => lines.filter((line) => !own.includes(line)));
}

async function editExclude(
  path: string,
  host: Host,
  edit: (lines: readonly string[], own: readonly string[]) => readonly string[],
): Promise<string | undefined> {
  const { repository } = host;
  const folder = repository === undefined ? undefined : gitFolder(repository, host);
  if (folder === undefined || repository === undefined) return undefined;
  const own = [originalOf(path), recordOf(path)].map((file) => pattern(relative(repository, file)));
  const write = async (text: string | undefined) => {
    const old = (text ?? '').split('\n');
    const lines = old.at(-1) === '' ? old.slice(0, -1) : old;
    const made = edit(lines, own);
    return made.length === lines.length ? text : made.map((line) => `${line}\n`).join('');
  };
  const { kind, path: file } = await editFile(join(folder, 'info', 'exclude'), write, {
    refuseLinks: true,
    backup: false,
  });
  return kind === 'unchanged' ? undefined : file;
}

/** The directory with `info/exclude`. Git itself is not started, because a repository may configure what it runs. */
function gitFolder(repository: string, { files }: Host): string | undefined {
  const entry = join(repository, '.git');
  const isFolder =
    files.status(entry)?.kind === 'folder' && files.realPath(entry) === join(files.realPath(repository) ?? '', '.git');
  const found = isFolder ? entry : linkedFolder(entry, files);
  return found !== undefined && files.status(join(found, 'HEAD'))?.kind === 'file' ? found : undefined;
}

/**
 * In a linked worktree `.git` is a file that names a directory, which names the one that all worktrees share. The
 * directory of a submodule shares nothing.
 */
function linkedFolder(entry: string, files: Host['files']): string | undefined {
  const named = firstLine(entry, files)?.replace(/^gitdir:\s*/, '');
  if (named === undefined || named === '') return undefined;
  const own = resolve(dirname(entry), named);
  const common = firstLine(join(own, 'commondir'), files);
  return common === undefined ? own : resolve(own, common);
}

function firstLine(path: string, files: Host['files']): string | undefined {
  const reading = files.read(path);
  return reading.kind === 'read' ? reading.text.split('\n')[0]?.trim() : undefined;
}

function pattern(path: string): string {
  return `/${path
    .split(sep)
    .join('/')
    .replaceAll(/[\\*?[\]!#]/g, '\\$&')
    .replace(/ $/, '\\ ')}`;
}
