import { delimiter, isAbsolute, join, normalize, resolve, sep } from 'node:path';
import { ancestors, type Host, type Platform, variable } from '../model/index.js';

/**
 * A place as the reference writes it, with forward slashes: `~/…` home, `/…` the system, `<project>/…` the working
 * folder, `<repo>/…` the top of its repository, `<up>/…` every folder from the one to the other, `<above>/…` those but
 * the working folder, `<worktree>/…` all the way up where there is no repository, `<NAME|fallback>/…` an environment
 * variable or else the fallback, `<each:NAME>/…` every path in a variable
 * that lists several, `file:…` a path as it is. `{a,b}` is each of both in turn; `*` and `**` match names and folders.
 */
export type PathTemplate = string;

export type Paths =
  | PathTemplate
  | readonly PathTemplate[]
  | Readonly<Partial<Record<Platform, PathTemplate | readonly PathTemplate[]>>>;

/** One path to look at. Without `pattern` it must be a file; with it, it is what the pattern matched. */
export interface Spot {
  readonly path: string;
  /** The folder before the pattern. It is taken as it is: someone's own folders may have a `*` in their names. */
  readonly base: string;
  readonly pattern: boolean;
  /** 0 for the nearest folder of a walk upwards, then counting. */
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

/** The absolute patterns that a template stands for on this host, in the order in which they are written. */
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

/** What `join` gives for a template, which has no steps up or double slashes in it; there are hundreds of them. */
function below(folder: string, rest: string): string {
  const own = sep === '/' ? rest : rest.replaceAll('/', sep);
  return folder.endsWith(sep) ? `${folder}${own}` : `${folder}${sep}${own}`;
}

/** Every spelling of `{a,b}`, first alternatives first. */
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

/** A path that someone named: one file, or every file of a kind in a folder. */
function named(path: string): Head {
  const [, folder, pattern] = /^(.*)\/(\*\.\w+)$/s.exec(path) ?? [];
  return { base: folder === undefined ? path : folder || '/', rest: pattern ?? '', distance: 0 };
}

function walk(folders: readonly string[], rest: string, host?: Host): Head[] {
  // Home and what is above it is no project, unless the client is started right there.
  const end = host ? folders.findIndex((folder, n) => n > 0 && ancestors(host.home).includes(folder)) : -1;
  return (end < 0 ? folders : folders.slice(0, end)).map((base, distance) => ({ base, rest, distance }));
}

/** From `folder` up to `top` and including it; all the way up without one. */
function between(folder: string, top: string | undefined): string[] {
  const all = ancestors(folder);
  return top === undefined ? all : all.slice(0, all.indexOf(top) + 1);
}

/** `A|B/sub|~/fallback`: the first variable that is set, or else the path at the end. */
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

/** Paths out of the environment: as they are, or, where a tree stands in for a Windows machine, below that tree. */
function hostPaths(value: string, name: string, host: Host): string[] {
  if (isAbsolute(value)) return [value];
  const drive = /^[a-z]:[\\/](.*)$/i.exec(value)?.[1];
  if (drive === undefined) {
    if (value.startsWith('~/')) return [join(host.home, value.slice(2))];
    // A relative path is not valid there, says the XDG specification, and must be passed over.
    return name.startsWith('XDG_') ? [] : [resolve(host.cwd, value)];
  }
  // Where the user's own folders are in a stand-in tree is said by `home`, not by a path of the machine it was taken from.
  if (/^users[\\/]/i.test(drive)) return [];
  return systemFolders(host).map((folder) => join(folder, ...drive.split(/[\\/]/)));
}

/** Where absolute system paths begin. A copy of a Windows disk keeps its drive as a folder, or leaves it out. */
function systemFolders(host: Host): string[] {
  const onWindows = sep === '\\';
  const root = host.root || (onWindows ? 'C:\\' : '/');
  return host.platform === 'win32' && !onWindows ? [root, join(root, 'C:'), join(root, 'C')] : [root];
}
