import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DiscoverOptions } from '../../src/discovery/index.js';

export type Platform = 'linux' | 'darwin' | 'win32';
export const PLATFORMS: readonly Platform[] = ['linux', 'darwin', 'win32'];

/** A throw-away machine with its own home, project and system root. */
export interface Machine extends Disposable {
  readonly home: string;
  readonly project: string;
  readonly root: string;
  /** The real path of `~/…`, `<project>/…` and `/…`. */
  path(template: string): string;
  write(files: Readonly<Record<string, string | Uint8Array>>): void;
  /** Options that limit `discover` to this machine. */
  options(more?: Partial<DiscoverOptions>): DiscoverOptions;
}

export function makeMachine(): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-'));
  const [home, project, root] = ['home', 'project', 'root'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [home, project, root]) mkdirSync(path);
  const path = (template: string): string => {
    if (template.startsWith('~/')) return join(home, template.slice(2));
    if (template.startsWith('<project>/')) return join(project, template.slice('<project>/'.length));
    if (template.startsWith('/')) return join(root, template.slice(1));
    throw new Error(`a sample's path begins with ~/, <project>/ or /: ${template}`);
  };
  return {
    home,
    project,
    root,
    path,
    write(files) {
      for (const [template, text] of Object.entries(files)) {
        mkdirSync(dirname(path(template)), { recursive: true });
        writeFileSync(path(template), text);
      }
    },
    options: (more = {}) => ({ home, cwd: project, root, env: {}, ...more }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A file in the application data directory of the platform. */
export function appData(platform: Platform, rest: string): string {
  const folders = { darwin: '~/Library/Application Support', linux: '~/.config', win32: '~/AppData/Roaming' };
  return `${folders[platform]}/${rest}`;
}
