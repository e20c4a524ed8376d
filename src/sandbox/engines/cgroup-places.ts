import { join } from 'node:path';

export interface CgroupPlace {
  readonly version: 1 | 2;
  readonly folder: string;
}

/**
 * The cgroups in which this process could create one with a memory limit, nearest first. Ancestors are listed only for
 * an unprivileged user, because an ancestor such a user can write to was delegated; root can write to every cgroup.
 */
export function cgroupPlaces(mountinfo: string, ownCgroups: string, isRoot: boolean): readonly CgroupPlace[] {
  return mountinfo.split('\n').flatMap((line): CgroupPlace[] => {
    const [mount = '', system = ''] = line.split(' - ');
    const [, , , root = '', mountPoint = ''] = mount.split(' ');
    const [type, , options = ''] = system.split(' ');
    const version = type === 'cgroup2' ? 2 : type === 'cgroup' && options.split(',').includes('memory') ? 1 : undefined;
    const own = version && ownPath(ownCgroups, version);
    const below = own && pathBelow(own, root);
    if (version === undefined || below === undefined) return [];
    const names = below.split('/').filter((name) => name !== '');
    const depths = version === 1 || isRoot ? [names.length] : names.map((_, n) => names.length - n).concat(0);
    return depths.map((depth) => ({ version, folder: join(mountPoint, ...names.slice(0, depth)) }));
  });
}

function ownPath(ownCgroups: string, version: 1 | 2): string | undefined {
  for (const line of ownCgroups.split('\n')) {
    const [, id, controllers = '', path] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    if (version === 2 ? id === '0' && controllers === '' : controllers.split(',').includes('memory')) return path;
  }
  return undefined;
}

/** A container may see only a part of the hierarchy; a cgroup outside that part has no directory here. */
function pathBelow(path: string, root: string): string | undefined {
  if (path.split('/').includes('..')) return undefined;
  if (root === '/') return path;
  return path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : undefined;
}
