import { join, sep } from 'node:path';
import type { Files } from '../base/index.js';

/** Everything the settings need from the machine, injected so that nothing here reads `process`. */
export interface SettingsHost {
  readonly platform: 'linux' | 'darwin' | 'win32';
  readonly home: string;
  /** The project directory, in which a client would be started. */
  readonly cwd: string;
  /** The top of the repository around `cwd`, if there is one. */
  readonly repository?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A prefix for absolute system paths, so that a test tree can replace the machine. */
  readonly root: string;
  readonly files: Files;
}

/** The origin of a file, which determines how much of it applies. */
export type SettingsScope = 'user' | 'project' | 'managed';

/** A possible settings file. */
export interface SettingsFileCandidate {
  readonly path: string;
  readonly scope: SettingsScope;
  readonly language: 'json' | 'code';
  /** Another program reads this file too, so unknown keys are not errors. */
  readonly isShared?: true;
}

const ENDINGS = ['ts', 'mts', 'js', 'mjs', 'json'] as const;
const SHARED_ENDINGS = ['ts', 'json'] as const;

/** Every possible settings file, grouped by directory. The first existing file of a directory is used. */
export function candidates(host: SettingsHost): readonly (readonly SettingsFileCandidate[])[] {
  const own = userFolder(host);
  const isOwn = !isBroughtByProject(own, host);
  const folders: (readonly [string, SettingsScope])[] = [[own, isOwn ? 'user' : 'project']];
  if (realPath(own, host) !== realPath(host.cwd, host)) folders.push([host.cwd, 'project']);
  const managed = managedFolders(host).map((folder): SettingsFileCandidate => {
    return { path: join(folder, 'managed-settings.json'), scope: 'managed', language: 'json' };
  });
  return [
    ...folders.map(([folder, scope]) => [
      ...ENDINGS.map((ending): SettingsFileCandidate => {
        return { path: join(folder, `portolan.config.${ending}`), scope, language: languageOf(ending) };
      }),
      ...SHARED_ENDINGS.map((ending): SettingsFileCandidate => {
        return { path: join(folder, `anygpt.config.${ending}`), scope, language: languageOf(ending), isShared: true };
      }),
    ]),
    managed,
  ];
}

function languageOf(ending: (typeof ENDINGS)[number]): SettingsFileCandidate['language'] {
  return ending === 'json' ? 'json' : 'code';
}

function userFolder({ env, home }: SettingsHost): string {
  // The XDG specification says that relative paths are invalid and must be ignored.
  return join(env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(home, '.config'), 'portolan');
}

/** A variable can point the user's directory into a repository; its content still belongs to the repository. */
export function isBroughtByProject(folder: string, host: SettingsHost): boolean {
  if (folder === join(host.home, '.config', 'portolan')) return false;
  const home = realPath(host.home, host);
  return [host.cwd, host.repository ?? host.cwd].some((project) => {
    const top = realPath(project, host);
    const isInside = isBelow(folder, project) || isBelow(realPath(folder, host), top);
    return isInside && !isBelow(home, top);
  });
}

function realPath(path: string, { files }: SettingsHost): string {
  return files.realPath(path) ?? path;
}

function isBelow(path = '', folder = ''): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** The directories of managed settings. A copy of a Windows disk has the drive as a directory, or omits it. */
function managedFolders({ platform, root, env }: SettingsHost): readonly string[] {
  switch (platform) {
    case 'darwin':
      return [join(root || '/', 'Library', 'Application Support', 'Portolan')];
    case 'win32': {
      const named = Object.entries(env).find(([name]) => name.toLowerCase() === 'programdata')?.[1] ?? '';
      // The default directory comes first, because the caller controls the environment and must not hide the managed
      // file.
      const folders = ['C:\\ProgramData', ...(/^[a-z]:[\\/]/i.test(named) ? [named] : [])];
      const paths = folders.flatMap((folder) => {
        const parts = [
          ...folder
            .slice(2)
            .split(/[\\/]/)
            .filter((part) => part !== ''),
          'Portolan',
        ];
        if (sep === '\\' && root === '') return [join(`${folder.slice(0, 2)}\\`, ...parts)];
        return [root || '/', join(root || '/', 'C:'), join(root || '/', 'C')].map((base) => join(base, ...parts));
      });
      return [...new Set(paths)];
    }
    case 'linux':
      return [join(root || '/', 'etc', 'portolan')];
  }
}
