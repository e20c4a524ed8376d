import { delimiter, isAbsolute, join, normalize, resolve, sep } from 'node:path';
import { ancestors, type Host, type Platform, variable } from '../model/index.js';

/**
 * A path in the notation of the reference table, with forward slashes: `~/…` the home directory, `/…` the system,
 * `<project>/…` the working directory, `<repo>/…` the root of its repository, `<up>/…` every directory from the working
 * directory to that root, `<above>/…` those except the working directory, `<worktree>/…` up to the file system root if
 * there is no repository, `<NAME|fallback>/…` an environment variable or the fallback, `<each:NAME>/…` every path in a
 * variable with a list of paths, `file:…` a literal path. `{a,b}` stands for both alternatives; `*` and `**` match names
 * and directories.
 */
export type PathTemplate = string;

export type Paths =
  | PathTemplate
  | readonly PathTemplate[]
  | Readonly<Partial<Record<Platform, PathTemplate | readonly PathTemplate[]>>>;

/** A path to read. Without `pattern` it is a file; with it, the path is a pattern. */
export interface Spot {
  readonly path: string;
  /** The directory before the pattern, taken literally, because the user's directory names may contain a `*`. */
  readonly base: string;
  readonly pattern: boolean;
  /** 0 for the nearest directory of a walk upwards, then counting up. */
  readonly distance: number;
}

export function templatesFor(paths: Paths, platform: Platform): readonly PathTemplate[] {
  if (typeof paths === 'string') return [paths];
  if (isList(paths)) return paths;
  const own = paths[platform];
  return own === undefined ? [] : typeof own === 'string' ? [own] : own;
}

function isList(paths: Paths): paths is readonly PathTemplate[] {
  return Array.isArray(paths);
}

/** Whether a template depends on the working directory. */
export function isProjectTemplate(template: PathTemplate): boolean {
  return /^<(project|repo|up|above|worktree)>/.test(template);
}

/** The absolute paths and patterns of a template on this host, in the order in which they are written. */
export function resolveTemplate(template: PathTemplate, host: Host): Spot[] {
  const templates = template.startsWith('file:') ? [template] : expandBraces(template);
  return templates.flatMap((one) =>
    heads(one, host).map(({ base, rest, distance }) => {
      const folder = normalize(base);
      const path = rest === '' ? folder : below(folder, rest);
      return { path, base: folder, distance, pattern: rest.includes('*') };
    }),
  );
}

/** A fast `join`: templates contain no `..` or double slashes, and there are hundreds of them. */
function below(folder: string, rest: string): string {
  const own = sep === '/' ? rest : rest.replaceAll('/', sep);
  return folder.endsWith(sep) ? `${folder}${own}` : `${folder}${sep}${own}`;
}

/** Every alternative of `{a,b}`, in order. */
export function expandBraces(template: string): string[] {
  const match = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/.exec(template);
  if (!match) return [template];
  const [, before = '', choices = '', after = ''] = match;
  return choices.split(',').flatMap((choice) => expandBraces(`${before}${choice}${after}`));
}

interface Head {
  readonly base: string;
  readonly rest: string;
  readonly distance: number;
}

function heads(template: string, host: Host): Head[] {
  const one = (base: string, rest: string): Head[] => [{ base, rest, distance: 0 }];
  if (template.startsWith('~/')) return one(host.home, template.slice(2));
  if (template === '~') return one(host.home, '');
  if (template.startsWith('/')) return systemFolders(host).flatMap((base) => one(base, template.slice(1)));
  if (template.startsWith('file:')) return [named(template.slice('file:'.length))];
  const match = /^<([^<>]*)>\/?(.*)$/.exec(template);
  if (!match) throw new Error(`a place must begin with a known root: ${template}`);
  const [, token = '', rest = ''] = match;
  switch (token) {
    case 'project':
      return one(host.cwd, rest);
    case 'repo':
      return one(host.repository ?? host.cwd, rest);
    case 'up':
      return walk(host.repository === undefined ? [host.cwd] : between(host.cwd, host.repository), rest);
    case 'above':
      return walk(host.repository === undefined ? [] : between(host.cwd, host.repository), rest).slice(1);
    case 'worktree':
      return walk(between(host.cwd, host.repository), rest, host);
    default:
      return variableHead(token, rest, host);
  }
}

/** A path from the user: one file, or all files of a kind in a directory. */
function named(path: string): Head {
  const [, folder, pattern] = /^(.*)\/(\*\.\w+)$/s.exec(path) ?? [];
  return { base: folder === undefined ? path : folder || '/', rest: pattern ?? '', distance: 0 };
}

function walk(folders: readonly string[], rest: string, host?: Host): Head[] {
  // The home directory and its parents are not projects, unless the client is started there.
  const end = host ? folders.findIndex((folder, n) => n > 0 && ancestors(host.home).includes(folder)) : -1;
  return (end < 0 ? folders : folders.slice(0, end)).map((base, distance) => ({ base, rest, distance }));
}

/** The directories from `folder` up to and including `top`, or up to the root without one. */
function between(folder: string, top: string | undefined): string[] {
  const all = ancestors(folder);
  return top === undefined ? all : all.slice(0, all.indexOf(top) + 1);
}

/** `A|B/sub|~/fallback`: the first variable that is set, or the path at the end. */
function variableHead(choices: string, rest: string, host: Host): Head[] {
  for (const choice of choices.split('|')) {
    if (/^[~/]/.test(choice)) return heads(rest === '' ? choice : `${choice}/${rest}`, host);
    const [token = '', ...below] = choice.split('/');
    const name = token.replace(/^each:/, '');
    const values = (variable(host, name) ?? '')
      .split(name === token ? '\0' : delimiter)
      .filter((value) => value !== '');
    const bases = values.flatMap((value) => hostPaths(value, name, host));
    if (bases.length > 0)
      return bases.map((base) => ({
        base,
        rest: [...below, rest].filter((part) => part !== '').join('/'),
        distance: 0,
      }));
  }
  return [];
}

/** Paths from the environment; under a root that replaces a Windows machine, they are mapped below that root. */
function hostPaths(value: string, name: string, host: Host): string[] {
  if (isAbsolute(value)) return [value];
  const drive = /^[a-z]:[\\/](.*)$/i.exec(value)?.[1];
  if (drive === undefined) {
    if (value.startsWith('~/')) return [join(host.home, value.slice(2))];
    // The XDG specification requires ignoring a relative path.
    return name.startsWith('XDG_') ? [] : [resolve(host.cwd, value)];
  }
  // Under a root, `home` gives the user's directories, not a path of the original machine.
  if (/^users[\\/]/i.test(drive)) return [];
  return systemFolders(host).map((folder) => join(folder, ...drive.split(/[\\/]/)));
}

/** The directories of absolute system paths. A copy of a Windows disk may keep its drive as a directory. */
function systemFolders(host: Host): string[] {
  const onWindows = sep === '\\';
  const root = host.root || (onWindows ? 'C:\\' : '/');
  return host.platform === 'win32' && !onWindows ? [root, join(root, 'C:'), join(root, 'C')] : [root];
}
